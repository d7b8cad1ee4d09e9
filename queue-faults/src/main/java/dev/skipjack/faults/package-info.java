/**
 * Makes go wrong in a test what goes wrong in production.
 *
 * <p>{@link dev.skipjack.faults.AttemptFaults} fails the next attempts. {@link
 * dev.skipjack.faults.FaultyDataSource} refuses connections, statements and commits inside the JVM,
 * with any SQLSTATE. {@link dev.skipjack.faults.TcpProxy} does it on the wire: connections that
 * hang half-open, are reset, are slow, or break around a COMMIT. {@link
 * dev.skipjack.faults.CrashingPostgres} is a server that can be stopped, crashed and started again
 * behind one URL. {@link dev.skipjack.faults.ForkedJvm} runs a main class in a process that can be
 * killed, frozen and terminated. {@link dev.skipjack.faults.ShadowSchema} fills a schema with what
 * a {@code search_path} could call instead of the server's own.
 *
 * <p>All but the last are closed by the test that made them, and leave no thread, socket or process
 * behind, also when the test's own JVM is killed.
 */
@NullMarked
package dev.skipjack.faults;

import org.jspecify.annotations.NullMarked;
