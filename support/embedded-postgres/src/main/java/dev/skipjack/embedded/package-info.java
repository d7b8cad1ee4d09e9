/**
 * Runs a real PostgreSQL server on the local machine, for the demo and for tests. Neither Docker
 * nor an installed PostgreSQL is required.
 *
 * <p>The binaries come from a jar on the class path; each archive is unpacked only once. A server
 * is started in the lowest free slot for its purpose. A slot is a folder with a lock file. The JVM
 * holds the lock until the server is closed or the JVM exits, so programs that run at the same time
 * use different slots. If the JVM is killed, its server keeps running. The next start then acquires
 * the lock and adopts the running server, restarts a stopped one, or replaces a folder whose
 * initialization was interrupted.
 *
 * <p>PostgreSQL refuses to run as root. If the JVM runs as root, every command is therefore run as
 * an unprivileged user, in a folder of that user. The server listens only on the loopback address,
 * on a port that was free when it started, and requires a random password that only the owner of
 * the folder can read.
 *
 * <p>To start a server, use {@link dev.skipjack.embedded.EmbeddedPostgres#builder()}.
 */
@NullMarked
package dev.skipjack.embedded;

import org.jspecify.annotations.NullMarked;
