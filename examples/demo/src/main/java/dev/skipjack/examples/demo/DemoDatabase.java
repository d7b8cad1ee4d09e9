package dev.skipjack.examples.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.DriverManager;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The connections of the demo, in three pools: one for the workers' own statements, one for their
 * handlers, one for producers and reports, which a stop waits for and which handlers that hang must
 * not starve. No thread holds a connection of one pool while it waits for a second of the same, so
 * none can lock up, however small.
 */
final class DemoDatabase implements AutoCloseable {

  /** Two producers, one for second sends, one for the progress and the end, one for the lock. */
  private static final int PRODUCERS_AND_REPORTS = 5;

  /** More handlers than this write at once no faster; the others wait their turn. */
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
   * Connects.
   *
   * @param jdbcUrl may hold a password
   * @param workers how many workers there will be
   * @throws SQLException if the URL means nothing to the driver
   */
  static DemoDatabase connect(String jdbcUrl, int workers) throws SQLException {
    // Asked here, because the pool would put the URL, password included, into its message.
    try {
      DriverManager.getDriver(jdbcUrl);
    } catch (SQLException e) {
      throw new SQLException("The JDBC URL is not one that PostgreSQL's driver understands.", e);
    }
    // The first connects here, or throws; the others connect when they are needed.
    HikariDataSource service =
        new HikariDataSource(config("service", jdbcUrl, PRODUCERS_AND_REPORTS));
    return new DemoDatabase(
        service,
        later("handlers", jdbcUrl, Math.min(workers * DemoWorkers.SLOTS, MOST_HANDLERS)),
        later("workers", jdbcUrl, workers * CONNECTIONS_A_WORKER));
  }

  /** For the workers' own statements. */
  DataSource workers() {
    return workers;
  }

  /** For what the jobs do. */
  DataSource handlers() {
    return handlers;
  }

  /** For everything else. */
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
