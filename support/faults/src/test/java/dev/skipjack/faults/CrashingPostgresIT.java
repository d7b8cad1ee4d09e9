package dev.skipjack.faults;

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

  /** An unlogged table: crash recovery discards its rows, but an orderly stop keeps them. */
  private static final String UNLOGGED = "unlogged_rows";

  @Test
  void serverKeepsItsDataAndItsUrlThroughStopsAndCrashes() throws SQLException {
    try (CrashingPostgres postgres = CrashingPostgres.create()) {
      String url = postgres.jdbcUrl();
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE UNLOGGED TABLE " + UNLOGGED + " (number integer)");
      }
      insert(url);
      postgres.stop();
      assertThatThrownBy(() -> insert(url)).isInstanceOf(SQLException.class);
      postgres.start();
      insert(url);
      assertThat(unlogged(url)).as("rows that a stop keeps").isEqualTo("2");
      postgres.crash();
      postgres.start();
      insert(url);
      assertThat(unlogged(url)).as("rows since the crash").isEqualTo("1");
      postgres.kill();
      postgres.start();
      insert(url);
      assertThat(unlogged(url)).as("rows since the kill").isEqualTo("1");
      assertThat(query(url, "SELECT count(*) FROM skipjack.jobs")).isEqualTo("4");
    }
  }

  private static void insert(String url) throws SQLException {
    query(url, "SELECT skipjack.enqueue('note', '{}')");
    query(url, "INSERT INTO " + UNLOGGED + " VALUES (1) RETURNING 1");
  }

  private static String unlogged(String url) throws SQLException {
    return query(url, "SELECT count(*) FROM " + UNLOGGED);
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
