package dev.skipjack.testkit;

import com.zaxxer.hikari.HikariConfig;

/** Creates the testkit's connection pools. */
final class Pools {

  private static final long CONNECTION_TIMEOUT_MS = 10_000;

  private Pools() {}

  /** Creates a pool that opens connections on demand and closes idle ones after a while. */
  static WatchedPool open(String jdbcUrl, String name, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl);
    config.setPoolName(name);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(CONNECTION_TIMEOUT_MS);
    // At login, the driver replaces the server's time zone with the JVM's.
    config.setConnectionInitSql("SET TIME ZONE '" + PostgresSources.TIME_ZONE + "'");
    return new WatchedPool(config);
  }
}
