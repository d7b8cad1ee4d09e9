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

  /**
   * Starts a server to resume on. Demos that ran at the same time have a folder each, and the one
   * that was cut short need not have the first: the first with unfinished jobs is taken, or else
   * the first of all.
   */
  static DemoServer startToResume(String purpose) throws SQLException {
    Deque<DemoServer> passed = new ArrayDeque<>();
    try {
      passed.add(start(purpose));
      // A folder is taken while its server runs, so each start gets the next one.
      while (passed.getLast().unfinished() == 0 && passed.getLast().hasNextFolder()) {
        passed.add(start(purpose));
      }
      return passed.getLast().unfinished() == 0 ? passed.removeFirst() : passed.removeLast();
    } finally {
      passed.forEach(DemoServer::close);
    }
  }

  /** How many jobs of earlier runs still have to run. */
  long unfinished() throws SQLException {
    if (!hasDatabase()) {
      return 0;
    }
    try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl(DATABASE))) {
      return Backlog.leftBy(connection).total();
    }
  }

  /** Folders of one purpose are numbered. */
  private boolean hasNextFolder() {
    Path folder = Objects.requireNonNull(postgres.dataFolder().getParent());
    int next = Integer.parseInt(folder.getFileName().toString()) + 1;
    return Files.exists(folder.resolveSibling(String.valueOf(next)));
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

  /** Where its data is. */
  String folder() {
    return postgres.dataFolder().toString();
  }

  /** As people call it. */
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
