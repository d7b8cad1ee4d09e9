package dev.skipjack.cli.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.DriverManager;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The connections of the demo, in two pools: one for the workers' own statements, one for the
 * service, that is producers, handlers and reports. No thread holds a connection of one pool while
 * it waits for a second of the same, so neither can lock up, however small.
 */
final class DemoDatabase implements AutoCloseable {

  /** Two producers, one for second sends, one for the progress and the end. */
  private static final int PRODUCERS_AND_REPORTS = 4;

  /** More handlers than this write at once no faster; the others wait their turn. */
  private static final int MOST_HANDLERS = 40;

  private static final int CONNECTIONS_A_WORKER = 4;

  private final HikariDataSource workers;
  private final HikariDataSource service;

  private DemoDatabase(HikariDataSource workers, HikariDataSource service) {
    this.workers = workers;
    this.service = service;
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
    int handlers = Math.min(workers * DemoWorkers.SLOTS, MOST_HANDLERS);
    HikariDataSource service = pool("service", jdbcUrl, handlers + PRODUCERS_AND_REPORTS);
    try {
      return new DemoDatabase(pool("workers", jdbcUrl, workers * CONNECTIONS_A_WORKER), service);
    } catch (RuntimeException e) {
      service.close();
      throw e;
    }
  }

  /** For the workers' own statements. */
  DataSource workers() {
    return workers;
  }

  /** For everything else. */
  DataSource service() {
    return service;
  }

  private static HikariDataSource pool(String name, String jdbcUrl, int size) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("demo-" + name);
    config.setJdbcUrl(jdbcUrl);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    config.addDataSourceProperty("ApplicationName", "skipjack demo " + name);
    return new HikariDataSource(config);
  }

  @Override
  public void close() {
    try (service) {
      workers.close();
    }
  }
}
