package dev.skipjack.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Provides a test class with its own {@link QueueDatabase}, which it shares with its nested
 * classes.
 *
 * <p>Constructors, test methods and lifecycle methods receive the database through a parameter of
 * that type. The queue's tables are emptied before each test method, unless {@link #truncate} is
 * false, so rows that {@code @BeforeAll} inserts into them do not survive. Other tables are emptied
 * only if they have foreign keys to the queue's tables. After the last test, the database is
 * dropped, and the class fails if connections were not returned. Classes may run in parallel, but
 * the test methods of a class always run one after another.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(QueueTestExtension.class)
@ResourceLock(providers = OneMethodAtATime.class)
public @interface QueueTest {

  /**
   * {@return whether the queue's tables are emptied before each test method} If false, methods see
   * the jobs of earlier methods, which is useful for a scenario that spans several methods or for
   * jobs that are enqueued in {@code @BeforeAll}. A nested class can override this value.
   */
  boolean truncate() default true;
}
