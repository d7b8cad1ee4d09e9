package dev.skipjack.store.jooq;

import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * A database session with its own thread. Its transaction can stay open, and the test can detect
 * that it waits.
 */
final class Rival implements AutoCloseable {

  /** The work of a rival on its connection. */
  @FunctionalInterface
  interface Work<R> {
    R on(Connection connection) throws SQLException;
  }

  private final Connection connection;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final int pid;

  Rival(QueueDatabase database) throws SQLException {
    connection = DriverManager.getConnection(database.jdbcUrl());
    // Uses generic plans, because planning would take most of the time.
    execute("SET plan_cache_mode = force_generic_plan");
    pid = pidOf(connection);
  }

  /** Returns the server's process id for the session of {@code connection}. */
  static int pidOf(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }

  int pid() {
    return pid;
  }

  /** Begins a transaction that ends with {@link #commit} or {@link #rollback}. */
  void begin() throws SQLException {
    connection.setAutoCommit(false);
  }

  /** Starts {@code work}, which may wait for other sessions. Only one can run at a time. */
  <R> Future<R> start(Work<R> work) {
    return thread.submit(() -> work.on(connection));
  }

  /** Does {@code work} in the calling thread. It must not wait for another session. */
  <R> R run(Work<R> work) throws SQLException {
    return work.on(connection);
  }

  void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  void commit() throws SQLException {
    connection.commit();
    connection.setAutoCommit(true);
  }

  void rollback() throws SQLException {
    connection.rollback();
    connection.setAutoCommit(true);
  }

  /**
   * Waits until {@code work} is done or its session waits for a lock.
   *
   * @return whether it is done
   */
  boolean seesEndOf(Future<?> work, int session) {
    soon().until(() -> work.isDone() || seesWaiting(session));
    return work.isDone();
  }

  private boolean seesWaiting(int session) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND locktype IN"
                    + " ('transactionid', 'tuple', 'advisory') AND pid = "
                    + session
                    + ")")) {
      row.next();
      return row.getBoolean(1);
    }
  }

  /** Polls often, because the condition becomes true within a millisecond. */
  static ConditionFactory soon() {
    return Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofNanos(200_000));
  }

  @Override
  public void close() throws SQLException {
    thread.shutdownNow();
    connection.close();
  }
}
