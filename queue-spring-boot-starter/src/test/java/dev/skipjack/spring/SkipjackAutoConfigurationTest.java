package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.availability.AvailabilityHealthContributorAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.availability.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.health.HealthContributorAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.health.HealthEndpointAutoConfiguration;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthEndpoint;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration;
import org.springframework.boot.autoconfigure.flyway.FlywayMigrationStrategy;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** The tests for Spring Boot 3.5. */
class SkipjackAutoConfigurationTest extends AutoConfigurationContract {

  SkipjackAutoConfigurationTest(QueueDatabase database) {
    super(database);
  }

  @Override
  AutoConfigurations healthEndpoint() {
    return AutoConfigurations.of(
        ApplicationAvailabilityAutoConfiguration.class,
        AvailabilityHealthContributorAutoConfiguration.class,
        AvailabilityProbesAutoConfiguration.class,
        HealthContributorAutoConfiguration.class,
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
    return ((HealthIndicator) indicator).health();
  }

  @Override
  String groupStatus(ApplicationContext context, String group) {
    HealthEndpoint endpoint = context.getBean(HealthEndpoint.class);
    return endpoint.healthForPath(group).getStatus().getCode();
  }

  @Test
  void keepsBootsFlywayFromADatabaseWithoutMigrationsOfTheApplication() {
    new JdbcTemplate(database.dataSource()).execute("CREATE TABLE IF NOT EXISTS legacy (id int)");
    contexts
        .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(historyOfTheApplication(context.getBean(JdbcTemplate.class))).isFalse();
            });
  }

  @Test
  void leavesTheApplicationsFlywayAlone() {
    contexts
        .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
        .withPropertyValues(
            "skipjack.migrate=true",
            "spring.flyway.locations=classpath:application-migrations",
            "spring.flyway.default-schema=application")
        .run(
            context -> {
              JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
              assertThat(
                      jdbc.queryForList(
                          "SELECT script FROM application.flyway_schema_history WHERE version IS"
                              + " NOT NULL",
                          String.class))
                  .containsExactly("V1__create_customers.sql");
            });
  }

  @Test
  void leavesAStrategyOfTheApplicationAlone() {
    FlywayMigrationStrategy own = flyway -> {};
    contexts
        .withBean("own", FlywayMigrationStrategy.class, () -> own)
        .run(context -> assertThat(context.getBean(FlywayMigrationStrategy.class)).isSameAs(own));
  }

  private static boolean historyOfTheApplication(JdbcTemplate jdbc) {
    return Boolean.TRUE.equals(
        jdbc.queryForObject(
            "SELECT to_regclass('public.flyway_schema_history') IS NOT NULL", Boolean.class));
  }
}
