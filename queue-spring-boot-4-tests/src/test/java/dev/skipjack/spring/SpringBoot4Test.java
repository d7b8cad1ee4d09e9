package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
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
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.application.AvailabilityHealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
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
              HealthIndicator indicator =
                  context.getBean("skipjackHealthIndicator", HealthIndicator.class);
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
  void anOutageOfTheDatabaseIsNoReasonToRestartTheProcess() {
    runner
        .withUserConfiguration(Mails.class)
        .withConfiguration(
            AutoConfigurations.of(
                ApplicationAvailabilityAutoConfiguration.class,
                AvailabilityHealthContributorAutoConfiguration.class,
                AvailabilityProbesAutoConfiguration.class,
                HealthContributorAutoConfiguration.class,
                HealthContributorRegistryAutoConfiguration.class,
                HealthEndpointAutoConfiguration.class))
        .withPropertyValues(Contexts.PROBES)
        .run(
            context -> {
              Contexts.publishStarted(context);
              HealthEndpoint endpoint = context.getBean(HealthEndpoint.class);
              await()
                  .atMost(Duration.ofSeconds(60))
                  .untilAsserted(
                      () -> {
                        assertThat(status(endpoint, "readiness")).isEqualTo(Status.UP);
                        assertThat(status(endpoint, "liveness")).isEqualTo(Status.UP);
                      });
              context.getBean(HikariDataSource.class).close();
              await()
                  .atMost(Duration.ofSeconds(60))
                  .until(() -> status(endpoint, "readiness"), Status.DOWN::equals);
              assertThat(status(endpoint, "liveness")).isEqualTo(Status.UP);
              context.getBean(SkipjackWorker.class).worker().orElseThrow().stopNow();
              assertThat(status(endpoint, "liveness")).isEqualTo(Status.DOWN);
            });
  }

  private static Status status(HealthEndpoint endpoint, String group) {
    return Objects.requireNonNull(endpoint.healthForPath(group)).getStatus();
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
                              "SELECT count(*) FROM customers.flyway_schema_history WHERE version ="
                                  + " '1'",
                              Long.class))
                  .isEqualTo(1);
            });
  }

  private static Health health(HealthIndicator indicator) {
    return Objects.requireNonNull(indicator.health());
  }
}
