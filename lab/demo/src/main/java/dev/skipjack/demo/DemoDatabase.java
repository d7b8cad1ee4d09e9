package dev.skipjack.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.DriverManager;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The connections of the demo, in three pools: one for the workers' own statements, one for their
 * handlers, and one for producers and reports. Stopping waits for producers and reports, so hanging
 * handlers must not take all their connections. No thread holds a connection while it waits for
 * another one from the same pool, so even a small pool cannot cause a deadlock.
 */
final class DemoDatabase implements AutoCloseable {

  /** Two for producers, one for second sends, one for progress and the report, one for the lock. */
  private static final int PRODUCERS_AND_REPORTS = 5;

  /**
   * The maximum number of connections for handlers. More would not make them faster; the other
   * handlers wait for a connection.
   */
  private static final int MOST_HANDLERS = 40;

  private static final int CONNECTIONS_A_WORKER = 4;

  private final HikariDataSource service;
  private final HikariDataSource handlers;
  private final HikariDataSource workers;

  private DemoDatabase(
      HikariDataSource service, HikariDataSource handlers, HikariDataSource workers) {
    this.service = service;
    this.handlers = handlers;
    this.workers = workers;
  }

  /**
   * Opens the pools.
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
    // The first pool connects here, or throws; the others connect when they are needed.
    HikariDataSource service =
        new HikariDataSource(config("service", jdbcUrl, PRODUCERS_AND_REPORTS));
    return new DemoDatabase(
        service,
        later("handlers", jdbcUrl, Math.min(workers * DemoWorkers.SLOTS, MOST_HANDLERS)),
        later("workers", jdbcUrl, workers * CONNECTIONS_A_WORKER));
  }

  /** Returns the connections for the workers' own statements. */
  DataSource workers() {
    return workers;
  }

  /** Returns the connections for the handlers' statements. */
  DataSource handlers() {
    return handlers;
  }

  /** Returns the connections for producers and reports. */
  DataSource service() {
    return service;
  }

  private static HikariDataSource later(String name, String jdbcUrl, int size) {
    HikariConfig config = config(name, jdbcUrl, size);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  private static HikariConfig config(String name, String jdbcUrl, int size) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("demo-" + name);
    config.setJdbcUrl(jdbcUrl);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    config.addDataSourceProperty("ApplicationName", "skipjack demo " + name);
    return config;
  }

  @Override
  public void close() {
    try (service;
        handlers) {
      workers.close();
    }
  }
}
