package dev.skipjack.torture;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;

/**
 * What every process of a torture is told.
 *
 * @param jdbcUrl may hold a password: keep it out of messages
 * @param folder where histories go
 * @param name of the process, and of its history
 */
record ProcessSettings(String jdbcUrl, String schema, Path folder, String name) {

  static final String APPLICATION = "skipjack-torture";

  /** What a process says first when it begins to work. */
  static final String READY = "ready";

  private static final int FIELDS = 4;

  /** Reads the first arguments of a main method. */
  static ProcessSettings of(String[] args) {
    return new ProcessSettings(args[0], args[1], Path.of(args[2]), args[3]);
  }

  /** As arguments, with more after them. */
  String[] arguments(String... more) {
    String[] all = new String[FIELDS + more.length];
    all[0] = jdbcUrl;
    all[1] = schema;
    all[2] = folder.toString();
    all[3] = name;
    System.arraycopy(more, 0, all, FIELDS, more.length);
    return all;
  }

  /** A pool as an application has it that wants to survive its network. */
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
    // Or a process that is frozen within a transaction keeps its locks until it goes on.
    config.setConnectionInitSql("SET idle_in_transaction_session_timeout = '2s'");
    config.setInitializationFailTimeout(-1); // born during an outage, perhaps
    return new HikariDataSource(config);
  }
}
