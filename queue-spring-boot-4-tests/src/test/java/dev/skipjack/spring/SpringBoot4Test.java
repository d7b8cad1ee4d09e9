package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.spring.SignUps.Mails;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.WorkerMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

/** What Spring Boot 4 has moved, in addition to the starter's own tests, which run here too. */
@QueueTest
class SpringBoot4Test {

  private ApplicationContextRunner runner;

  @BeforeEach
  void connect(QueueDatabase database) {
    runner = Contexts.on(database);
  }

  @Test
  void theseTestsRunOnSpringBoot4() {
    assertThat(SpringBootVersion.getVersion()).startsWith("4.");
  }

  @Test
  void reportsHealthIfTheHealthModuleIsThere() {
    runner
        .withUserConfiguration(Mails.class)
        .run(
            context -> {
              HealthIndicator indicator = context.getBean(HealthIndicator.class);
              await()
                  .atMost(Duration.ofSeconds(60))
                  .until(() -> health(indicator).getStatus(), Status.UP::equals);
              assertThat(health(indicator).getDetails())
                  .containsEntry("worker", "started")
                  .containsEntry("alive", true);
              context.getBean(SkipjackWorker.class).worker().orElseThrow().stop();
              assertThat(health(indicator).getStatus()).isEqualTo(Status.DOWN);
            });
  }

  @Test
  void reportsNoHealthIfThatIsDisabled() {
    runner
        .withPropertyValues("management.health.skipjack.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
  }

  @Test
  void reportsNoHealthWithoutTheHealthModule() {
    runner
        .withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
        .run(
            context ->
                assertThat(context).hasNotFailed().doesNotHaveBean("skipjackHealthIndicator"));
  }

  @Test
  void publishesMetricsIfThereIsARegistry() {
    runner
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .run(context -> assertThat(context).hasSingleBean(WorkerMetrics.class));
  }

  @Test
  void leavesTheApplicationsFlywayAlone(QueueDatabase database) {
    runner
        .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
        .withPropertyValues(
            "spring.flyway.enabled=true",
            "spring.flyway.locations=classpath:application-migrations",
            "spring.flyway.default-schema=customers")
        .run(
            context -> {
              assertThat(context).hasNotFailed().doesNotHaveBean(FlywayMigrationStrategy.class);
              assertThat(
                      new JdbcTemplate(database.dataSource())
                          .queryForObject(
                              "SELECT count(*) FROM customers.flyway_schema_history WHERE version = '1'",
                              Long.class))
                  .isEqualTo(1);
            });
  }

  private static Health health(HealthIndicator indicator) {
    return Objects.requireNonNull(indicator.health());
  }
}
