package dev.skipjack.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.migrations.Migrations;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** The database of the demo, and the tables in it. */
final class DemoDatabase implements AutoCloseable {

  /** The number of jobs that a worker handles at once. */
  static final int SLOTS = 8;

  private static final int CONNECTIONS_A_WORKER = 4;

  /** One for the sender and the report, one for the lock. */
  private static final int OTHER_CONNECTIONS = 2;

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private final HikariDataSource pool;

  private DemoDatabase(HikariDataSource pool) {
    this.pool = pool;
  }

  /**
   * Opens a pool that has a connection for everyone who needs one at the same time. Connections are
   * opened when they are needed.
   *
   * @param jdbcUrl the URL, which may contain a password
   * @param workers the number of workers
   * @throws SQLException if the driver does not understand the URL
   */
  static DemoDatabase connect(String jdbcUrl, int workers) throws SQLException {
    // Checked here, because the pool's message would contain the URL with its password.
    try {
      DriverManager.getDriver(jdbcUrl);
    } catch (SQLException e) {
      throw new SQLException("The JDBC URL is not one that PostgreSQL's driver understands.", e);
    }
    HikariConfig config = new HikariConfig();
    config.setPoolName("demo");
    config.setJdbcUrl(jdbcUrl);
    config.setMaximumPoolSize(workers * (SLOTS + CONNECTIONS_A_WORKER) + OTHER_CONNECTIONS);
    config.setMinimumIdle(1);
    config.addDataSourceProperty("ApplicationName", "skipjack demo");
    return new DemoDatabase(new HikariDataSource(config));
  }

  DataSource pool() {
    return pool;
  }

  /**
   * Takes the exclusive right to run the demo on this database, because a second demo would
   * consider the unfinished jobs of the first one lost. PostgreSQL releases it if the demo is
   * killed; waits for a few seconds, because the server may not yet have detected the end.
   *
   * @return the connection that holds the lock until the database is closed
   * @throws RefusedException if another demo holds the lock
   */
  Connection lock() throws SQLException {
    Connection connection = pool.getConnection();
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET lock_timeout = '3s'");
      statement.execute("SELECT pg_advisory_lock(hashtextextended('skipjack demo', 0))");
      return connection;
    } catch (SQLException e) {
      connection.close();
      if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        throw new RefusedException(
            "Another demo is running on this database. Wait until it has ended, or use another database.");
      }
      throw e;
    }
  }

  /** Returns whether a demo has stored deliveries here. Creates nothing. */
  boolean holdsDeliveries() {
    DSLContext db = on(pool);
    return db.fetchSingle("SELECT to_regclass('skipjack_demo.deliveries') IS NOT NULL")
            .get(0, boolean.class)
        && !db.fetch("SELECT 1 FROM skipjack_demo.deliveries LIMIT 1").isEmpty();
  }

  /** Creates the tables of the queue and of the demo, as far as they are missing. */
  void createTables() throws SQLException {
    Migrations.migrate(pool);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        InputStream script = DemoDatabase.class.getResourceAsStream("tables.sql")) {
      statement.execute(
          new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a context for statements in the current transaction of {@code connection}. */
  static DSLContext on(Connection connection) {
    return DSL.using(connection, SQLDialect.POSTGRES);
  }

  /** Returns a context in which each statement is committed separately. */
  static DSLContext on(DataSource dataSource) {
    return DSL.using(dataSource, SQLDialect.POSTGRES);
  }

  @Override
  public void close() {
    pool.close();
  }
}
