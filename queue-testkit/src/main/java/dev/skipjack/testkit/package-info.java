/**
 * Real PostgreSQL databases for tests of code that uses the queue.
 *
 * <p>A test class is annotated with {@link dev.skipjack.testkit.QueueTest} and takes a {@link
 * dev.skipjack.testkit.QueueDatabase} as a parameter: a migrated database for this class, emptied
 * before each test method and dropped at the end. The class fails if connections were not returned.
 * Databases are copies of a template that is migrated once, so a class costs a fraction of a
 * second. All tests of a JVM share one server: that of a JDBC URL if one is configured, a container
 * if Testcontainers is on the class path and Docker responds, or else an embedded server, which
 * needs neither Docker nor an installed PostgreSQL.
 *
 * <p>{@link dev.skipjack.testkit.QueueAssertions} has AssertJ assertions about jobs, also within a
 * transaction that is still open; AssertJ is a dependency of this module for that reason. {@link
 * dev.skipjack.testkit.JobRuns} runs jobs without waiting for their due time, {@link
 * dev.skipjack.testkit.InlineRuns} runs them as part of their enqueue, and {@link
 * dev.skipjack.testkit.RecordingEnqueues} records what was enqueued.
 *
 * <p>The test of a store extends {@link dev.skipjack.testkit.JobStoreContract}, which checks the
 * promises of the ports; that of a fake in memory, {@link dev.skipjack.testkit.AttemptContract}.
 *
 * <p>{@link dev.skipjack.faults} causes the failures that happen in production.
 *
 * <p>The sessions' time zone is deliberately not UTC, so that tests detect code that depends on it.
 */
@NullMarked
package dev.skipjack.testkit;

import org.jspecify.annotations.NullMarked;
