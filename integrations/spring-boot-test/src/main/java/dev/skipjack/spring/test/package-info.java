/**
 * Support for testing applications that use the Spring Boot starter.
 *
 * <p>{@link dev.skipjack.spring.test.AutoConfigureSkipjack} determines when jobs run in a test:
 * only when the test runs them, as part of the enqueue, or in the application's worker. {@link
 * dev.skipjack.spring.test.SkipjackTest} starts only the queue, the database and the handlers. With
 * either, a test can inject {@link dev.skipjack.testkit.TestQueue} for assertions and time travel,
 * and {@link dev.skipjack.testkit.JobRuns} to run jobs. Both see the jobs of the test's
 * transaction.
 *
 * <p>With {@code spring.datasource.url=skipjack:embedded}, each application context has its own
 * database on the testkit's server.
 *
 * <p>This module is compiled against Spring Boot 3.5 and also works with 4.
 */
@NullMarked
package dev.skipjack.spring.test;

import org.jspecify.annotations.NullMarked;
