package dev.skipjack.spring;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.testkit.QueueDatabase;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

/** Creates application contexts for tests. */
final class Contexts {

  /** The properties that include the worker in the probes for Kubernetes. */
  static final String[] PROBES = {
    "management.endpoint.health.probes.enabled=true",
    "management.endpoint.health.group.liveness.include=livenessState,skipjackLiveness",
    "management.endpoint.health.group.readiness.include=readinessState,skipjack"
  };

  private static final int POOL_SIZE = 6;

  private Contexts() {}

  /**
   * Returns a runner with the configurations of the starter and of Spring Boot's transactions, but
   * without a pool.
   */
  static ApplicationContextRunner withoutDataSource() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                SkipjackAutoConfiguration.class,
                SkipjackDashboardAutoConfiguration.class,
                SkipjackFlywayAutoConfiguration.class,
                named("dev.skipjack.spring.SkipjackHealthAutoConfiguration"),
                named("dev.skipjack.spring.SkipjackHealthBoot4AutoConfiguration"),
                SkipjackJackson3AutoConfiguration.class,
                SkipjackJooqAutoConfiguration.class,
                SkipjackMetricsAutoConfiguration.class,
                SkipjackEndpointAutoConfiguration.class,
                SkipjackInfoAutoConfiguration.class,
                SkipjackObservationAutoConfiguration.class,
                SkipjackOutboxAutoConfiguration.class,
                SkipjackOutboxMetricsAutoConfiguration.class,
                SkipjackUniqueJobsAutoConfiguration.class,
                AopAutoConfiguration.class,
                moved("jdbc", "DataSourceTransactionManagerAutoConfiguration"),
                moved("transaction", "TransactionAutoConfiguration"),
                moved("jdbc", "JdbcTemplateAutoConfiguration")));
  }

  /**
   * Returns a class of Spring Boot 4 or, if that is not on the class path, its predecessor in
   * Spring Boot 3.
   */
  private static Class<?> moved(String technology, String name) {
    return moved("autoconfigure." + technology, technology, name);
  }

  /** Returns the actuator's configurations of Micrometer. */
  static AutoConfigurations micrometer() {
    return AutoConfigurations.of(
        moved("actuate.autoconfigure.metrics", "micrometer.metrics", "MetricsAutoConfiguration"),
        moved(
            "actuate.autoconfigure.observation",
            "micrometer.observation",
            "ObservationAutoConfiguration"),
        moved(
            "actuate.autoconfigure.tracing",
            "micrometer.tracing",
            "MicrometerTracingAutoConfiguration"));
  }

  private static Class<?> moved(String boot3, String technology, String name) {
    String boot4 = "org.springframework.boot.%s.autoconfigure.%s".formatted(technology, name);
    return named(
        ClassUtils.isPresent(boot4, null)
            ? boot4
            : "org.springframework.boot.%s.%s".formatted(boot3, name));
  }

  /**
   * Returns a class by name, because these tests are compiled with only one version of Spring Boot.
   */
  private static Class<?> named(String name) {
    return ClassUtils.resolveClassName(name, null);
  }

  /** Returns a runner whose contexts have a pool of their own, which they close. */
  static ApplicationContextRunner on(QueueDatabase database) {
    return withoutDataSource()
        .withBean(DataSource.class, () -> pool(database))
        .withPropertyValues("skipjack.migrate=validate");
  }

  /** Publishes the states that Spring Boot publishes when an application has started. */
  static void publishStarted(ApplicationContext context) {
    AvailabilityChangeEvent.publish(context, LivenessState.CORRECT);
    AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
  }

  static HikariDataSource pool(QueueDatabase database) {
    return database.newDataSource(POOL_SIZE);
  }
}
