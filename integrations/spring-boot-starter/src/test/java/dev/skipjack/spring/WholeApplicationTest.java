package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.spring.SignUps.Mails;
import dev.skipjack.spring.SignUps.Registration;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

/** Runs an application with every auto-configuration on the class path, as Spring Boot does. */
@QueueTest
class WholeApplicationTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  @Configuration(proxyBeanMethods = false)
  @Import({Mails.class, Registration.class})
  static class WithBeans {}

  @Test
  void aTransactionEnqueuesAndTheWorkerRunsTheJob(QueueDatabase database) {
    new JdbcTemplate(database.dataSource()).execute("CREATE TABLE users (name text PRIMARY KEY)");
    new ApplicationContextRunner()
        .withUserConfiguration(Application.class, WithBeans.class)
        .withPropertyValues(
            "spring.datasource.url=" + database.jdbcUrl(), "skipjack.schema=application")
        .run(
            context -> {
              context.getBean(Registration.class).signUp("ada");
              await()
                  .atMost(Duration.ofSeconds(60))
                  .untilAsserted(
                      () -> assertThat(context.getBean(Mails.class).sent()).containsExactly("ada"));
              assertThat(context)
                  .hasBean("skipjackHealthIndicator")
                  .hasBean("skipjackWorkerMetrics");
            });
  }

  @Test
  void applicationStartsWithSeveralDataSources(QueueDatabase database) {
    new ApplicationContextRunner()
        .withBean(QueueDatabase.class, () -> database, bean -> bean.setDestroyMethodName(""))
        .withUserConfiguration(
            Application.class,
            AutoConfigurationContract.TwoDataSources.class,
            AutoConfigurationContract.MarkedDataSource.class)
        .withPropertyValues("skipjack.schema=" + database.schema())
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void connectsToNoOtherDatabase(QueueDatabase database) {
    new ApplicationContextRunner()
        .withBean(QueueDatabase.class, () -> database, bean -> bean.setDestroyMethodName(""))
        .withBean(
            "primary", DataSource.class, Unreachable::dataSource, bean -> bean.setPrimary(true))
        .withUserConfiguration(Application.class, AutoConfigurationContract.MarkedDataSource.class)
        .withPropertyValues("skipjack.schema=" + database.schema())
        .run(context -> assertThat(context).hasNotFailed());
  }
}
