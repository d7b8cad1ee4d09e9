package dev.skipjack.torture;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;

/**
 * The settings that every process of a run receives.
 *
 * @param jdbcUrl may contain a password, so it must not appear in messages
 * @param folder the folder that contains the histories
 * @param name the name of the process and of its history
 */
record ProcessSettings(String jdbcUrl, String schema, Path folder, String name) {

  static final String APPLICATION = "skipjack-torture";

  /** The start of the line that a process prints when it begins to work. */
  static final String READY = "ready";

  private static final int FIELDS = 4;

  /** Reads the settings from the first arguments of a main method. */
  static ProcessSettings of(String[] args) {
    return new ProcessSettings(args[0], args[1], Path.of(args[2]), args[3]);
  }

  /** Returns the settings as arguments, followed by the given ones. */
  String[] arguments(String... more) {
    String[] all = new String[FIELDS + more.length];
    all[0] = jdbcUrl;
    all[1] = schema;
    all[2] = folder.toString();
    all[3] = name;
    System.arraycopy(more, 0, all, FIELDS, more.length);
    return all;
  }

  /** Opens a pool with timeouts suited to an application that must survive network faults. */
  HikariDataSource pool(int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl);
    config.addDataSourceProperty("ApplicationName", APPLICATION);
    config.addDataSourceProperty("socketTimeout", "2");
    config.addDataSourceProperty("connectTimeout", "2");
    config.addDataSourceProperty("loginTimeout", "2");
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(2_000);
    config.setValidationTimeout(1_000);
    // Otherwise a process that is frozen within a transaction keeps its locks until it continues.
    config.setConnectionInitSql("SET idle_in_transaction_session_timeout = '2s'");
    config.setInitializationFailTimeout(-1); // the process may start during an outage
    return new HikariDataSource(config);
  }
}
