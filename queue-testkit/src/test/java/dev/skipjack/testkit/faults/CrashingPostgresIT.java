package dev.skipjack.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class CrashingPostgresIT {

  @Test
  void keepsItsDataAndItsUrlThroughStopsAndCrashes() throws SQLException {
    try (CrashingPostgres postgres = CrashingPostgres.create()) {
      String url = postgres.jdbcUrl();
      insert(url);
      postgres.stop();
      assertThatThrownBy(() -> insert(url)).isInstanceOf(SQLException.class);
      postgres.start();
      insert(url);
      postgres.crash();
      postgres.start();
      insert(url);
      postgres.kill();
      postgres.start();
      insert(url);
      assertThat(query(url, "SELECT count(*) FROM skipjack.jobs")).isEqualTo("4");
    }
  }

  private static void insert(String url) throws SQLException {
    query(url, "SELECT skipjack.enqueue('note', '{}')");
  }

  private static String query(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
