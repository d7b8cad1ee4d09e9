/**
 * Real PostgreSQL databases for tests of code that uses the queue.
 *
 * <p>A test class says {@link dev.skipjack.testkit.QueueTest} and takes a {@link
 * dev.skipjack.testkit.QueueDatabase} as a parameter: a migrated database of its own, emptied
 * before each test method and dropped at the end, when connections that were not given back fail
 * the class. Databases are copies of a template that is migrated once, so a class costs a fraction
 * of a second. One server serves the JVM. It is the one of a JDBC URL if there is such a setting, a
 * container if Testcontainers is on the class path and Docker answers, and else an embedded server,
 * which needs neither Docker nor an installed PostgreSQL.
 *
 * <p>{@link dev.skipjack.testkit.QueueAssertions} says what jobs there must be, also within a
 * transaction that is still open, in the style of AssertJ, which is a dependency of this module for
 * that reason. {@link dev.skipjack.testkit.JobRuns} runs jobs without waiting for their time,
 * {@link dev.skipjack.testkit.InlineRuns} runs them as part of their enqueue, and {@link
 * dev.skipjack.testkit.RecordingEnqueues} keeps what was enqueued.
 *
 * <p>The test of a store extends {@link dev.skipjack.testkit.JobStoreContract}, which checks the
 * promises of the ports; that of a fake in memory, {@link dev.skipjack.testkit.AttemptContract}.
 *
 * <p>What goes wrong in production is made to go wrong by {@link dev.skipjack.faults}.
 *
 * <p>The sessions' time zone is deliberately not UTC, so that code which depends on it is found out
 * here.
 */
@NullMarked
package dev.skipjack.testkit;

import org.jspecify.annotations.NullMarked;
