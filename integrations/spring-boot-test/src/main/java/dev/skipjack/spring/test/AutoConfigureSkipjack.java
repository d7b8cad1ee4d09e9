package dev.skipjack.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Determines when jobs run in a test class with an application context, such as one with
 * {@code @SpringBootTest}.
 *
 * <pre>{@code
 * @SpringBootTest
 * @AutoConfigureSkipjack
 * class SignUpTest {
 *   @Autowired Registration registration;
 *   @Autowired TestQueue queue;
 *   @Autowired JobRuns jobs;
 * }
 * }</pre>
 *
 * <p>The context has a {@link dev.skipjack.testkit.TestQueue} and, unless the mode is {@link
 * JobMode#ASYNC}, {@link dev.skipjack.testkit.JobRuns}. In a transaction on the queue's data
 * source, both work within the transaction. In particular, jobs that a test enqueues in its own
 * transaction can be run there, and are rolled back with it.
 *
 * <p>Classes with the same context share its queue, so do not run them in parallel.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface AutoConfigureSkipjack {

  /**
   * Determines when jobs run.
   *
   * @return when jobs run
   */
  JobMode mode() default JobMode.MANUAL;

  /**
   * {@return whether the queue's tables, except those of schedules and workers, are emptied before
   * each test method and after the class} The application's own tables are not affected. If true,
   * the queue must have no jobs when the application starts, so that no jobs are deleted from a
   * database that does not belong to the tests.
   */
  boolean truncate() default true;
}
