package dev.skipjack.spring;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.testkit.QueueDatabase;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.JdbcTemplateAutoConfiguration;
import org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Application contexts for tests. */
final class Contexts {

  private static final int POOL_SIZE = 6;

  private Contexts() {}

  /**
   * Returns a runner with the starter and Boot's configurations of transactions, without a pool.
   */
  static ApplicationContextRunner withoutDataSource() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                SkipjackAutoConfiguration.class,
                SkipjackFlywayAutoConfiguration.class,
                SkipjackHealthAutoConfiguration.class,
                SkipjackMetricsAutoConfiguration.class,
                AopAutoConfiguration.class,
                DataSourceTransactionManagerAutoConfiguration.class,
                TransactionAutoConfiguration.class,
                JdbcTemplateAutoConfiguration.class));
  }

  /** Returns a runner whose contexts have a pool of their own, which they close. */
  static ApplicationContextRunner on(QueueDatabase database) {
    return withoutDataSource()
        .withBean(DataSource.class, () -> pool(database))
        .withPropertyValues("skipjack.migrate=validate");
  }

  static HikariDataSource pool(QueueDatabase database) {
    return database.newDataSource(POOL_SIZE);
  }
}
