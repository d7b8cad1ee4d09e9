package dev.skipjack.demo;

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
 * An embedded PostgreSQL server, used if the user names no database. Its data is kept, so that an
 * interrupted run can be resumed.
 */
final class DemoServer implements AutoCloseable {

  private static final String DATABASE = "demo";

  /** Enough for the maximum number of workers that the command allows. */
  private static final String CONNECTIONS = "250";

  private final EmbeddedPostgres postgres;

  private DemoServer(EmbeddedPostgres postgres) {
    this.postgres = postgres;
  }

  /**
   * Starts the server with PostgreSQL's default durability. {@link #close} stops it, rather than
   * the shutdown of the JVM, because the workers need it while they stop.
   *
   * @param purpose the purpose, which determines the data folder
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
   * Starts a server for resuming a run. Demos that ran at the same time used separate folders, so
   * the interrupted run may be in any of them. Uses the first folder with unfinished jobs, or the
   * first folder if none has any.
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

  /** Returns the number of jobs of earlier runs that still have to run. */
  long unfinished() throws SQLException {
    if (!hasDatabase()) {
      return 0;
    }
    try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl(DATABASE))) {
      return Backlog.leftBy(connection).total();
    }
  }

  /** Returns whether a next folder exists. The folders of a purpose are numbered. */
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
   * Returns the URL of the database that the last run used.
   *
   * @throws RefusedException if no run has used this server
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

  /** Returns the folder with the server's data. */
  String folder() {
    return postgres.dataFolder().toString();
  }

  /** Returns a description of the server for messages. */
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
