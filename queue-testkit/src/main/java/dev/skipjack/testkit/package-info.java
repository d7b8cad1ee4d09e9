/**
 * Support for testing code that uses the queue, on real PostgreSQL databases.
 *
 * <p>Annotate a test class with {@link dev.skipjack.testkit.QueueTest} and declare a parameter of
 * type {@link dev.skipjack.testkit.QueueDatabase}. It provides a migrated database for the class,
 * which is emptied before each test method and dropped at the end. The class fails if it does not
 * return connections to their pools. Because databases are copied from a template that is migrated
 * once, creating one takes only a fraction of a second.
 *
 * <p>All tests of a JVM share one server. If a JDBC URL is configured, the server at that URL is
 * used. Otherwise, a container is started if Testcontainers is on the class path and Docker
 * responds, or else an embedded server, which needs neither Docker nor an installed PostgreSQL.
 *
 * <p>{@link dev.skipjack.testkit.QueueAssertions} provides AssertJ assertions about jobs, including
 * jobs of a transaction that is still open. {@link dev.skipjack.testkit.JobRuns} runs jobs without
 * waiting for their due times, {@link dev.skipjack.testkit.InlineRuns} runs jobs when they are
 * enqueued, and {@link dev.skipjack.testkit.RecordingEnqueues} records enqueued jobs.
 *
 * <p>To test an implementation of a store, extend {@link dev.skipjack.testkit.JobStoreContract},
 * which checks the guarantees of its interfaces. To test an in-memory fake, extend {@link
 * dev.skipjack.testkit.AttemptContract}.
 *
 * <p>{@link dev.skipjack.faults} injects faults of the kind that occur in production.
 *
 * <p>The time zone of database sessions is deliberately not UTC, so that tests detect code that
 * depends on it.
 */
@NullMarked
package dev.skipjack.testkit;

import org.jspecify.annotations.NullMarked;
