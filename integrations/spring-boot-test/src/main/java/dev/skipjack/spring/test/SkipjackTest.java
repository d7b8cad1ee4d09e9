package dev.skipjack.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Starts only the part of an application that runs jobs: the queue, the data source with its
 * migrations and transactions, and the beans with {@link dev.skipjack.handlers.JobHandler} methods.
 * Other beans that the handlers need are added with {@code @Import}, or replaced with mocks.
 *
 * <p>The annotation does not start a transaction. Add {@code @Transactional} for one that is rolled
 * back after each test.
 *
 * @see AutoConfigureSkipjack
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@BootstrapWith(SkipjackTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@AutoConfigureSkipjack
@ImportAutoConfiguration
public @interface SkipjackTest {

  /** {@return properties in the form {@code key=value}, which are added to the environment} */
  String[] properties() default {};

  /**
   * {@return the classes of the beans with handlers; none means all that the component scan finds}
   */
  Class<?>[] handlers() default {};

  /**
   * Determines when jobs run.
   *
   * @return when jobs run
   */
  @AliasFor(annotation = AutoConfigureSkipjack.class)
  JobMode mode() default JobMode.MANUAL;

  /**
   * {@return whether the queue's tables are emptied before each test method and after the class}
   */
  @AliasFor(annotation = AutoConfigureSkipjack.class)
  boolean truncate() default true;
}
