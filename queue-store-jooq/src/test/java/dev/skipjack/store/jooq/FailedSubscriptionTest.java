package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.WakeUps.Subscription;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Tests subscriptions that fail, and subscriptions that must not fail. */
@QueueTest
class FailedSubscriptionTest {

  private static final Duration SOON = Duration.ofMillis(50);

  /** Handlers may hold all other connections for any length of time. */
  @Test
  void aSilentSubscriptionNeedsNoSecondConnection(QueueDatabase database) throws SQLException {
    try (HikariDataSource pool = impatientPool(database, 2)) {
      PostgresWakeUps wakeUps =
          new PostgresWakeUps(pool, new WakeUpChannel(database.schema()), SOON);
      Connection handlers;
      try (Subscription first = wakeUps.subscribe()) {
        handlers = pool.getConnection();
        for (int i = 0; i < 3; i++) {
          assertThat(first.await(SOON.multipliedBy(2))).isEmpty();
        }
      }
      try (handlers;
          Subscription second = wakeUps.subscribe()) {
        assertThat(second.await(SOON.multipliedBy(2))).isEmpty();
        assertThat(handlers.isValid(1)).isTrue();
      }
    }
  }

  /** Creates a pool with a short timeout, which cannot be changed later. */
  private static HikariDataSource impatientPool(QueueDatabase database, int size) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(database.jdbcUrl());
    pool.setMaximumPoolSize(size);
    pool.setConnectionTimeout(1_000); // a busy machine connects in a third of a second
    return pool;
  }

  /**
   * Data source proxies, for example for tracing, may return such connections. A worker then polls,
   * which is not a failure.
   */
  @Test
  void connectionsThatDoNotUnwrapCannotListen(QueueDatabase database) {
    try (HikariDataSource pool = database.newDataSource(2)) {
      PostgresWakeUps wakeUps =
          new PostgresWakeUps(wrapping(pool), new WakeUpChannel(database.schema()));

      assertThatThrownBy(wakeUps::subscribe)
          .isInstanceOfSatisfying(
              StoreException.class, refused -> assertThat(refused.sqlState()).contains("0A000"))
          .hasMessageContaining("do not unwrap to org.postgresql.PGConnection");

      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  private static DataSource wrapping(DataSource pool) {
    return JdbcProxy.of(
        DataSource.class,
        (method, args) -> {
          Object answer = method.invoke(pool, args);
          return answer instanceof Connection connection
              ? JdbcProxy.of(
                  Connection.class,
                  (call, given) -> {
                    return switch (call.getName()) {
                      case "unwrap" -> throw new SQLException("Cannot unwrap.");
                      case "isWrapperFor" -> false;
                      default -> call.invoke(connection, given);
                    };
                  })
              : answer;
        });
  }

  @Test
  void failedSubscriptionLeavesNoListeningConnectionInThePool(QueueDatabase database)
      throws SQLException {
    try (HikariDataSource pool = impatientPool(database, 1)) {
      PostgresWakeUps wakeUps = new PostgresWakeUps(pool, new WakeUpChannel(database.schema()));

      // The only connection listens, so none is left to send the probe.
      assertThatThrownBy(wakeUps::subscribe).isInstanceOf(StoreException.class);

      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
      try (Connection only = pool.getConnection()) {
        assertThat(channels(only)).isZero();
      }
    }
  }

  private static int channels(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM pg_listening_channels()")) {
      row.next();
      return row.getInt(1);
    }
  }
}
