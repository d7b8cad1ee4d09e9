package dev.skipjack.spring.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.spring.Jobs;
import dev.skipjack.spring.test.AutoConfigureSkipjack;
import dev.skipjack.testkit.TestQueue;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests that repositories of Spring Data JDBC and the queue share a transaction. */
@SpringBootTest
@AutoConfigureSkipjack
class DataJdbcTest {

  record Member(@Id @Nullable Long id, String name) {}

  interface Members extends CrudRepository<Member, Long> {}

  @TestConfiguration(proxyBeanMethods = false)
  @EnableJdbcRepositories(considerNestedRepositories = true)
  static class Repositories extends AbstractJdbcConfiguration {
    @Bean
    InitializingBean members(DataSource dataSource) {
      return () ->
          new JdbcTemplate(dataSource)
              .execute(
                  "CREATE TABLE IF NOT EXISTS member (id bigint GENERATED ALWAYS AS IDENTITY"
                      + " PRIMARY KEY, name text)");
    }
  }

  @Autowired private Members members;
  @Autowired private Jobs jobs;
  @Autowired private TestQueue queue;
  @Autowired private TransactionTemplate transaction;

  private JobId signUp(String name) {
    members.save(new Member(null, name));
    return jobs.enqueue(Mails.SEND_WELCOME, new SendWelcome(name));
  }

  @Test
  void theRowAndTheJobAreCommitted() {
    long before = members.count();
    JobId job = Objects.requireNonNull(transaction.execute(status -> signUp("ada")));
    assertThat(members.count()).isEqualTo(before + 1);
    assertThat(queue).job(job).isPending();
  }

  @Test
  void theRowAndTheJobAreRolledBack() {
    long before = members.count();
    transaction.executeWithoutResult(
        status -> {
          signUp("grace");
          assertThat(members.count()).isEqualTo(before + 1);
          status.setRollbackOnly();
        });
    assertThat(members.count()).isEqualTo(before);
    assertThat(queue).hasNotEnqueued(Mails.SEND_WELCOME);
  }
}
