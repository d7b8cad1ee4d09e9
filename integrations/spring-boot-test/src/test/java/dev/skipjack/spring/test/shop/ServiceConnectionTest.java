package dev.skipjack.spring.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.spring.Jobs;
import dev.skipjack.spring.test.AutoConfigureSkipjack;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.QueueAssertions;
import dev.skipjack.testkit.QueueDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.jdbc.JdbcConnectionDetails;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.annotation.DirtiesContext;

/**
 * Tests an application whose database is a service, such as a container of Testcontainers. It
 * declares the same bean that {@code @ServiceConnection} would register.
 */
@SpringBootTest(
    classes = {ShopApplication.class, ServiceConnectionTest.Service.class},
    properties = "spring.datasource.url=jdbc:postgresql://never.invalid/never")
@AutoConfigureSkipjack
@DirtiesContext
class ServiceConnectionTest {

  @TestConfiguration(proxyBeanMethods = false)
  static class Service {
    @Bean
    QueueDatabase service() {
      return QueueDatabase.create();
    }

    @Bean
    JdbcConnectionDetails connection(QueueDatabase service) {
      return new JdbcConnectionDetails() {
        @Override
        public String getJdbcUrl() {
          return service.jdbcUrl();
        }

        @Override
        public @Nullable String getUsername() {
          return null;
        }

        @Override
        public @Nullable String getPassword() {
          return null;
        }
      };
    }
  }

  @Test
  void jobsRunInTheDatabaseOfTheService(
      @Autowired Jobs jobs, @Autowired JobRuns runs, @Autowired QueueDatabase service) {
    jobs.enqueue(Mails.SEND_WELCOME, new SendWelcome("ada"));
    QueueAssertions.assertThat(service).hasExactly(1);

    assertThat(runs.due()).isEqualTo(1);

    QueueAssertions.assertThat(service).hasNothingLeftToDo();
  }
}
