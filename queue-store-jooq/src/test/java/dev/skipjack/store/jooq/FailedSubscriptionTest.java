package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.StoreException;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** A subscription that fails half-way gives its connection back, which listens no more. */
@QueueTest
class FailedSubscriptionTest {

  @Test
  void leavesNoConnectionThatListensInThePool(QueueDatabase database) throws SQLException {
    try (HikariDataSource pool = database.newDataSource(1)) {
      pool.setConnectionTimeout(250);
      PostgresWakeUps wakeUps = new PostgresWakeUps(pool, new WakeUpChannel(database.schema()));

      // It listens, and there is no second connection for the probe.
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
