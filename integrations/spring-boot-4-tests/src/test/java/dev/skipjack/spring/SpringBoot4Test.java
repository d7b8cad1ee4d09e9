package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.jackson3.Jackson3Codec;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import java.util.Map;
import java.util.Objects;
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
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Runs the tests of {@link AutoConfigurationContract} with Spring Boot 4, and some that only it
 * needs.
 */
class SpringBoot4Test extends AutoConfigurationContract {

  SpringBoot4Test(QueueDatabase database) {
    super(database);
  }

  @Test
  void theseTestsRunOnSpringBoot4() {
    assertThat(SpringBootVersion.getVersion()).startsWith("4.");
  }

  @Override
  AutoConfigurations healthEndpoint() {
    return AutoConfigurations.of(
        ApplicationAvailabilityAutoConfiguration.class,
        AvailabilityHealthContributorAutoConfiguration.class,
        AvailabilityProbesAutoConfiguration.class,
        HealthContributorAutoConfiguration.class,
        HealthContributorRegistryAutoConfiguration.class,
        HealthEndpointAutoConfiguration.class);
  }

  @Override
  Class<?> healthIndicator() {
    return HealthIndicator.class;
  }

  @Override
  String status(Object indicator) {
    return health(indicator).getStatus().getCode();
  }

  @Override
  Map<String, Object> details(Object indicator) {
    return health(indicator).getDetails();
  }

  private static Health health(Object indicator) {
    return Objects.requireNonNull(((HealthIndicator) indicator).health());
  }

  @Override
  String groupStatus(ApplicationContext context, String group) {
    HealthEndpoint endpoint = context.getBean(HealthEndpoint.class);
    return Objects.requireNonNull(endpoint.healthForPath(group)).getStatus().getCode();
  }

  @Override
  ApplicationContextRunner withFlyway(Runnable migrations) {
    return contexts
        .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
        .withBean(FlywayMigrationStrategy.class, () -> flyway -> migrations.run())
        .withPropertyValues("spring.flyway.enabled=true");
  }

  @Test
  void payloadsUseTheJacksonOfSpringBootsMapper() {
    contexts
        .withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class))
        .run(
            context ->
                assertThat(context.getBean(JobQueue.class).codec())
                    .isInstanceOf(Jackson3Codec.class));
  }

  @Test
  void theApplicationsFlywayIsLeftAlone() {
    contexts
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
}
