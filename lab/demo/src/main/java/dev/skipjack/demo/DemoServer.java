package dev.skipjack.demo;

import dev.skipjack.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.jooq.DSLContext;

/**
 * An embedded PostgreSQL server, used if the user names no database. Its data is kept, so that an
 * interrupted run can be resumed.
 */
final class DemoServer implements AutoCloseable {

  private static final String DATABASE = "demo";

  /** Enough for the maximum number of workers that the command allows. */
  private static final String CONNECTIONS = "400";

  private final EmbeddedPostgres postgres;

  /**
   * Starts the server with PostgreSQL's default durability. {@link #close} stops it, rather than
   * the shutdown of the JVM, because the workers need it while they stop.
   *
   * @param purpose the purpose, which determines the data folder
   */
  DemoServer(String purpose) {
    postgres =
        EmbeddedPostgres.builder()
            .purpose(purpose)
            .setting("max_connections", CONNECTIONS)
            .stopAtExit(false)
            .start();
  }

  /** Returns the database of the last run if {@code keep} is true, otherwise an empty one. */
  DemoTarget database(boolean keep) throws SQLException {
    try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl("postgres"))) {
      DSLContext db = DemoDatabase.on(connection);
      if (!keep) {
        db.execute("DROP DATABASE IF EXISTS " + DATABASE + " WITH (FORCE)");
      }
      if (db.fetch("SELECT 1 FROM pg_database WHERE datname = ?", DATABASE).isEmpty()) {
        db.execute("CREATE DATABASE " + DATABASE);
      }
    }
    return new DemoTarget(postgres.jdbcUrl(DATABASE), postgres.dataFolder().toString(), "");
  }

  /** Returns a description of the server for messages. */
  String description() {
    return "PostgreSQL %s (%s in %s)"
        .formatted(
            postgres.version(), postgres.adopted() ? "adopted" : "started", postgres.dataFolder());
  }

  @Override
  public void close() {
    postgres.close();
  }
}
