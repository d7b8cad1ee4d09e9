package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.migration.BaseJavaMigration;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
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
import org.springframework.boot.autoconfigure.flyway.FlywayConfigurationCustomizer;
import org.springframework.boot.autoconfigure.flyway.FlywayDataSource;
import org.springframework.boot.autoconfigure.flyway.FlywayMigrationStrategy;
import org.springframework.boot.autoconfigure.jooq.JooqAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Runs the tests of {@link AutoConfigurationContract} with Spring Boot 3.5, and some that only it
 * needs.
 */
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

  @Override
  ApplicationContextRunner withFlyway(Runnable migrations) {
    return contexts
        .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
        .withBean(FlywayMigrationStrategy.class, () -> flyway -> migrations.run());
  }

  @Test
  void springBootsFlywayIsKeptFromADatabaseWithoutMigrationsOfTheApplication() {
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
  void theApplicationsFlywayIsLeftAlone() {
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

  @Configuration(proxyBeanMethods = false)
  static class OwnDataSource {
    @Bean(defaultCandidate = false)
    @FlywayDataSource
    DataSource ofFlyway() {
      return Unreachable.dataSource();
    }
  }

  /** Lets a test get the Flyway bean without running migrations. */
  static final class WithoutMigration implements BeanFactoryPostProcessor, PriorityOrdered {
    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
      if (beans.containsBeanDefinition("flywayInitializer")) {
        ((BeanDefinitionRegistry) beans).removeBeanDefinition("flywayInitializer");
      }
    }

    @Override
    public int getOrder() {
      return HIGHEST_PRECEDENCE;
    }
  }

  @Test
  void aFlywayThatTheApplicationUsesIsLeftAlone() {
    ApplicationContextRunner unused =
        contexts
            .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
            .withBean(WithoutMigration.class);
    List<ApplicationContextRunner> users =
        List.of(
            unused.withPropertyValues("spring.flyway.locations=classpath:none"),
            unused.withBean(FlywayMigrationStrategy.class, () -> flyway -> {}),
            unused.withBean(FlywayConfigurationCustomizer.class, () -> configuration -> {}),
            unused.withBean(V1__Nothing.class),
            unused.withUserConfiguration(OwnDataSource.class));

    assertThat(users)
        .allSatisfy(user -> user.run(context -> assertThat(context).hasSingleBean(Flyway.class)));
    unused.run(context -> assertThat(context).doesNotHaveBean(Flyway.class));
  }

  static final class V1__Nothing extends BaseJavaMigration {
    @Override
    public void migrate(org.flywaydb.core.api.migration.Context context) {}
  }

  @Test
  void aFlywayWithoutMigrationsNeedsNoDataSource() {
    Contexts.withoutDataSource()
        .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
        .withBean(QueueDatabase.class, () -> database, bean -> bean.setDestroyMethodName(""))
        .withUserConfiguration(TwoDataSources.class, MarkedDataSource.class)
        .withPropertyValues("skipjack.migrate=validate")
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Flyway.class));
  }

  @Test
  void connectsToNoOtherDatabaseForAFlywayWithoutMigrations() {
    Contexts.withoutDataSource()
        .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
        .withBean(QueueDatabase.class, () -> database, bean -> bean.setDestroyMethodName(""))
        .withBean(
            "primary", DataSource.class, Unreachable::dataSource, bean -> bean.setPrimary(true))
        .withUserConfiguration(MarkedDataSource.class)
        .withPropertyValues("skipjack.migrate=validate")
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void springBootsJooqIsCreatedOnlyForAnApplicationThatUsesIt() {
    contexts
        .withConfiguration(AutoConfigurations.of(JooqAutoConfiguration.class))
        .run(
            context -> {
              assertThat(context.getBeanFactory().getSingletonNames())
                  .doesNotContain("jooqConfiguration", "dslContext");
              assertThat(context.getBean(DSLContext.class).fetchValue("SELECT 42")).isEqualTo(42);
            });
  }

  private static boolean historyOfTheApplication(JdbcTemplate jdbc) {
    return Boolean.TRUE.equals(
        jdbc.queryForObject(
            "SELECT to_regclass('public.flyway_schema_history') IS NOT NULL", Boolean.class));
  }
}
