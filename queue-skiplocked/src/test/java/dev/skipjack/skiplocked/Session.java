package dev.skipjack.skiplocked;

import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** A connection with an open transaction, and a thread that uses it. */
final class Session implements AutoCloseable {

  final Connection connection;

  /** Runs in the session's transaction. */
  final DSLContext tx;

  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final int pid;

  Session(QueueDatabase database) {
    try {
      connection = DriverManager.getConnection(database.jdbcUrl());
      connection.setAutoCommit(false);
      tx = DSL.using(connection, SQLDialect.POSTGRES);
      pid = tx.fetchSingle("SELECT pg_backend_pid()").into(int.class);
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  void isolation(int level) throws SQLException {
    connection.setTransactionIsolation(level);
  }

  /** Starts {@code work}, which may wait for another session. */
  <T> Future<T> start(Function<DSLContext, T> work) {
    return thread.submit(() -> work.apply(tx));
  }

  /** Returns once this session waits for a lock. */
  void awaitWaiting(DSLContext observer) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () ->
                observer.fetchExists(
                    DSL.selectOne().from("pg_locks").where("NOT granted AND pid = ?", pid)));
  }

  void commit() throws SQLException {
    connection.commit();
  }

  void rollback() throws SQLException {
    connection.rollback();
  }

  @Override
  public void close() throws SQLException {
    thread.shutdownNow();
    connection.close();
  }
}
