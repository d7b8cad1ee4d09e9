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
 * Gives a test class a {@link QueueDatabase} of its own, shared with its nested classes.
 *
 * <p>Constructors, test methods and life-cycle methods receive it by declaring a parameter of that
 * type. The queue's tables are empty at the start of each test method unless {@link #truncate} says
 * otherwise, so rows that {@code @BeforeAll} writes into them do not survive; the test's own tables
 * in other schemas are not touched. After the class the database is dropped, and the class fails if
 * connections were not returned. Classes may run in parallel; the test methods of a class always
 * run one after the other.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(QueueTestExtension.class)
@ResourceLock(providers = OneMethodAtATime.class)
public @interface QueueTest {

  /**
   * Whether the queue's tables are emptied before each test method. If not, methods see the jobs of
   * earlier ones: for a scenario in several methods, or for jobs that {@code @BeforeAll} enqueues.
   * A nested class may override it.
   */
  boolean truncate() default true;
}
