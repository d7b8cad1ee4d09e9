package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.spring.SignUps.Attempts;
import dev.skipjack.spring.SignUps.Mails;
import dev.skipjack.spring.SignUps.Registration;
import dev.skipjack.testkit.QueueAssertions;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * Tests applications whose data source bean is not the pool, but one of Spring's proxies for it.
 */
@QueueTest
class DataSourceProxiesTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  enum Proxy {
    LAZY {
      @Override
      DataSource around(DataSource pool) {
        return new LazyConnectionDataSourceProxy(pool);
      }
    },
    TRANSACTION_AWARE {
      @Override
      DataSource around(DataSource pool) {
        return new TransactionAwareDataSourceProxy(pool);
      }
    },
    TRANSACTION_AWARE_AND_LAZY {
      @Override
      DataSource around(DataSource pool) {
        return new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(pool));
      }
    };

    abstract DataSource around(DataSource pool);
  }

  private final QueueDatabase database;
  private final HikariDataSource pool;

  DataSourceProxiesTest(QueueDatabase database) {
    this.database = database;
    this.pool = Contexts.pool(database);
  }

  @BeforeEach
  void createUsers() {
    JdbcTemplate jdbc = new JdbcTemplate(database.dataSource());
    jdbc.execute("CREATE TABLE IF NOT EXISTS users (name text PRIMARY KEY)");
    jdbc.execute("TRUNCATE users");
  }

  @AfterEach
  void closePool() {
    pool.close();
  }

  @ParameterizedTest
  @EnumSource
  void theWorkerRunsExactlyTheJobsOfCommittedTransactions(Proxy proxy) {
    Contexts.withoutDataSource()
        .withBean(DataSource.class, () -> proxy.around(pool))
        .withPropertyValues("skipjack.migrate=validate")
        .withBean(Mails.class)
        .withBean(Registration.class)
        .withBean(Attempts.class)
        .run(
            context -> {
              assertThatExceptionOfType(IllegalStateException.class)
                  .isThrownBy(() -> context.getBean(Attempts.class).signUpAndFail("bob", true))
                  .withMessage("no more users");
              QueueAssertions.assertThat(database).hasNoJobs();
              context.getBean(Registration.class).signUp("ada");
              await()
                  .atMost(PATIENCE)
                  .untilAsserted(
                      () -> assertThat(context.getBean(Mails.class).sent()).containsExactly("ada"));
            });
  }
}
