package dev.skipjack.cli.demo;

import dev.skipjack.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A PostgreSQL server of the demo's own, used when no database is named. Its data stays, so that a
 * run which was cut short can be resumed.
 */
final class DemoServer implements AutoCloseable {

  private static final String DATABASE = "demo";

  /** Room for as many workers as the command takes. */
  private static final String CONNECTIONS = "250";

  private final EmbeddedPostgres postgres;

  private DemoServer(EmbeddedPostgres postgres) {
    this.postgres = postgres;
  }

  /**
   * Starts the server, as durable as PostgreSQL is by default. It is stopped by {@link #close}, not
   * by the end of the JVM: the workers need it while they shut down.
   *
   * @param purpose names the folder that the data is kept in
   */
  static DemoServer start(String purpose) {
    return new DemoServer(
        EmbeddedPostgres.builder()
            .purpose(purpose)
            .setting("max_connections", CONNECTIONS)
            .stopAtExit(false)
            .start());
  }

  /** Throws away what an earlier run left and answers an empty database. */
  String freshDatabase() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP DATABASE IF EXISTS " + DATABASE + " WITH (FORCE)");
      statement.execute("CREATE DATABASE " + DATABASE);
    }
    return postgres.jdbcUrl(DATABASE);
  }

  /**
   * Answers the database that the last run left.
   *
   * @throws IllegalStateException if there is none
   */
  String keptDatabase() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery(
                "SELECT 1 FROM pg_database WHERE datname = '" + DATABASE + "'")) {
      if (!found.next()) {
        throw new IllegalStateException(
            "There is nothing to resume: no demo has run in " + postgres.dataFolder() + ".");
      }
    }
    return postgres.jdbcUrl(DATABASE);
  }

  /** As people call it. */
  String description() {
    return "PostgreSQL %s (%s in %s)"
        .formatted(
            postgres.version(), postgres.adopted() ? "adopted" : "started", postgres.dataFolder());
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(postgres.jdbcUrl("postgres"));
  }

  @Override
  public void close() {
    postgres.close();
  }
}
