package dev.skipjack.examples.demo;

import dev.skipjack.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;

/**
 * A PostgreSQL server of the demo's own, used when no database is named. Its data is kept, so that
 * an interrupted run can be resumed.
 */
final class DemoServer implements AutoCloseable {

  private static final String DATABASE = "demo";

  /** Enough for the maximum number of workers of the command. */
  private static final String CONNECTIONS = "250";

  private final EmbeddedPostgres postgres;

  private DemoServer(EmbeddedPostgres postgres) {
    this.postgres = postgres;
  }

  /**
   * Starts the server, as durable as PostgreSQL is by default. It is stopped by {@link #close}, not
   * by the end of the JVM: the workers need it while they shut down.
   *
   * @param purpose names the folder for the data
   */
  static DemoServer start(String purpose) {
    return new DemoServer(
        EmbeddedPostgres.builder()
            .purpose(purpose)
            .setting("max_connections", CONNECTIONS)
            .stopAtExit(false)
            .start());
  }

  /**
   * Starts a server to resume on. Demos that ran at the same time have a folder each, and the
   * interrupted one need not have used the first. Takes the first folder with unfinished jobs, or
   * the first of all if none has any.
   */
  static DemoServer startToResume(String purpose) throws SQLException {
    Deque<DemoServer> passed = new ArrayDeque<>();
    try {
      passed.add(start(purpose));
      // A folder is in use while its server runs, so each start gets the next one.
      while (passed.getLast().unfinished() == 0 && passed.getLast().hasNextFolder()) {
        passed.add(start(purpose));
      }
      return passed.getLast().unfinished() == 0 ? passed.removeFirst() : passed.removeLast();
    } finally {
      passed.forEach(DemoServer::close);
    }
  }

  /** Returns how many jobs of earlier runs still have to run. */
  long unfinished() throws SQLException {
    if (!hasDatabase()) {
      return 0;
    }
    try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl(DATABASE))) {
      return Backlog.leftBy(connection).total();
    }
  }

  /** Whether there is a next folder; folders of one purpose are numbered. */
  private boolean hasNextFolder() {
    Path folder = Objects.requireNonNull(postgres.dataFolder().getParent());
    int next = Integer.parseInt(folder.getFileName().toString()) + 1;
    return Files.exists(folder.resolveSibling(String.valueOf(next)));
  }

  /** Drops the database of earlier runs and returns the URL of an empty one. */
  String freshDatabase() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP DATABASE IF EXISTS " + DATABASE + " WITH (FORCE)");
      statement.execute("CREATE DATABASE " + DATABASE);
    }
    return postgres.jdbcUrl(DATABASE);
  }

  /**
   * Returns the URL of the database that the last run left.
   *
   * @throws RefusedException if there is none
   */
  String keptDatabase() throws SQLException {
    if (!hasDatabase()) {
      throw new RefusedException(
          "There is nothing to resume: no demo has run in %s.".formatted(folder()));
    }
    return postgres.jdbcUrl(DATABASE);
  }

  private boolean hasDatabase() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery(
                "SELECT 1 FROM pg_database WHERE datname = '" + DATABASE + "'")) {
      return found.next();
    }
  }

  /** The folder with its data. */
  String folder() {
    return postgres.dataFolder().toString();
  }

  /** A description for messages. */
  String description() {
    return "PostgreSQL %s (%s in %s)"
        .formatted(postgres.version(), postgres.adopted() ? "adopted" : "started", folder());
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(postgres.jdbcUrl("postgres"));
  }

  @Override
  public void close() {
    postgres.close();
  }
}
