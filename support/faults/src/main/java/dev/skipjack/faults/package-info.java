/**
 * Fault injection for tests: causes the failures that happen in production.
 *
 * <p>{@link dev.skipjack.faults.AttemptFaults} fails the next attempts. {@link
 * dev.skipjack.faults.FaultyDataSource} refuses connections, statements and commits inside the JVM,
 * with any SQLSTATE. {@link dev.skipjack.faults.TcpProxy} injects network faults: connections that
 * hang half-open, are reset, are slow, or break around a COMMIT. {@link
 * dev.skipjack.faults.CrashingPostgres} is a server that can be stopped, crashed and restarted
 * under the same URL. {@link dev.skipjack.faults.ForkedJvm} runs a main class in a process that can
 * be killed, frozen and terminated. {@link dev.skipjack.faults.ShadowSchema} fills a schema with
 * objects that have the names of the server's own, and are called if a {@code search_path} lists
 * the schema.
 *
 * <p>A test closes the proxy, the server and the process that it created. They then leave no
 * thread, socket or process behind. If the test's own JVM is killed, its forked processes end too,
 * but a server runs until another one is started.
 */
@NullMarked
package dev.skipjack.faults;

import org.jspecify.annotations.NullMarked;
