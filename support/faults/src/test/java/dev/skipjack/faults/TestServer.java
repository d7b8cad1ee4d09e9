package dev.skipjack.faults;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The PostgreSQL server that the tests of this JVM share; it stops when the JVM ends. The testkit
 * has a more capable one but cannot be used here, because it depends on this module.
 */
final class TestServer {

  private static final String URL =
      EmbeddedPostgres.builder()
          .purpose("faults-test")
          .setting("fsync", "off")
          .start()
          .jdbcUrl("postgres");

  private TestServer() {}

  static String jdbcUrl() {
    return URL;
  }

  /** Returns a direct connection, which no fault affects. */
  static Connection connect() throws SQLException {
    return DriverManager.getConnection(URL);
  }

  /** Returns a new pool, which the caller must close. */
  static HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(URL);
    config.setMaximumPoolSize(4);
    return new HikariDataSource(config);
  }

  /** Creates an empty table {@code rows}, or empties it if it exists. */
  static void createRows() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE IF NOT EXISTS rows (number integer)");
      statement.execute("TRUNCATE rows");
    }
  }
}
