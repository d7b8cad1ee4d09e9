package dev.skipjack.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.migrations.Migrations;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

final class DemoDatabase implements AutoCloseable {

  /** The number of jobs that each of the two workers handles at once. */
  static final int SLOTS = 8;

  /**
   * The number of connections that the slots and loops of the workers, the sender and the lock
   * need.
   */
  private static final int CONNECTIONS = 2 * (SLOTS + 4) + 2;

  /** The tables of the demo's service. A delivery's body is in its job. */
  private static final String TABLES =
      """
      CREATE SCHEMA IF NOT EXISTS skipjack_demo;

      -- One row for each received delivery. The key refuses a second send.
      CREATE TABLE IF NOT EXISTS skipjack_demo.deliveries (
        delivery    uuid        NOT NULL PRIMARY KEY,
        job_id      bigint      NOT NULL,
        fate        text        NOT NULL,
        received_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );

      -- One row for each repeated send. It was refused by 'unique_key' or, if its job had ended, by 'table'.
      CREATE TABLE IF NOT EXISTS skipjack_demo.refused_sends (
        delivery   uuid        NOT NULL,
        refused_by text        NOT NULL,
        refused_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );

      -- The effects of handled deliveries. There is no unique key: only the queue prevents a second effect.
      CREATE TABLE IF NOT EXISTS skipjack_demo.effects (
        delivery   uuid        NOT NULL,
        job_id     bigint      NOT NULL,
        handled_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )""";

  private final HikariDataSource pool;

  /**
   * Opens a pool.
   *
   * @param jdbcUrl the URL, which may contain a password
   * @throws SQLException if the driver cannot parse the URL
   */
  DemoDatabase(String jdbcUrl) throws SQLException {
    try {
      DriverManager.getDriver(jdbcUrl);
    } catch (SQLException e) {
      // The pool's message would contain the URL with its password.
      throw new SQLException("PostgreSQL's driver cannot parse the JDBC URL.", e);
    }
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl);
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(1);
    config.addDataSourceProperty("ApplicationName", "skipjack demo");
    pool = new HikariDataSource(config);
  }

  DataSource pool() {
    return pool;
  }

  /**
   * Takes the lock of the demo on this database, because a second demo would count the unfinished
   * jobs of the first one as lost. PostgreSQL releases the lock if the demo is killed.
   *
   * @return the connection that holds the lock
   * @throws RefusedException if another demo holds the lock
   */
  Connection lock() throws SQLException {
    Connection connection = pool.getConnection();
    if (on(connection)
        .fetchSingle("SELECT pg_try_advisory_lock(hashtextextended('skipjack demo', 0))")
        .get(0, boolean.class)) {
      return connection;
    }
    connection.close();
    throw new RefusedException(
        "Another demo is running on this database. Wait until it has ended, or use another database.");
  }

  void createTables() {
    Migrations.migrate(pool);
    on(pool).execute(TABLES);
  }

  /** Drops all schemas that earlier runs have left. Only for the demo's own server. */
  void clear() {
    on(pool).execute("DROP SCHEMA IF EXISTS skipjack_demo, skipjack CASCADE");
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
