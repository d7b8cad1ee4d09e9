package dev.skipjack.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs transactions like {@link OwnTransactions}, but on one connection that it keeps between calls
 * without an open transaction. The pool cannot check this connection. After a minute without use,
 * the next {@link #reserve} therefore checks whether the server is reachable and writable. If a
 * response takes longer than ten seconds, the connection is closed. Safe for any number of threads,
 * which take turns.
 */
public final class KeptTransactions implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KeptTransactions.class);

  /**
   * SQLSTATEs of a deadlock, a cancelled statement, a lock timeout and an untranslatable character.
   */
  private static final Set<String> ABORTED = Set.of("40P01", "57014", "55P03", "22P05");

  /** The time without use after which the connection is checked. */
  private static final Duration SILENCE = Duration.ofMinutes(1);

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration GOODBYE = Duration.ofMillis(500);

  private final OwnConnections connections;
  private final long silence;
  private final ReentrantLock turn = new ReentrantLock();
  private volatile @Nullable Connection kept;
  private volatile boolean closed;
  private boolean autoCommit;
  private int networkTimeout;
  private long usedAt;
  private volatile boolean doubted;

  /**
   * Creates an instance that borrows a connection at the first call.
   *
   * @param connections provides the connection
   */
  public KeptTransactions(OwnConnections connections) {
    this(connections, SILENCE);
  }

  /**
   * @param silence the time without use after which the connection is checked
   */
  KeptTransactions(OwnConnections connections, Duration silence) {
    this.connections = connections;
    this.silence = silence.toNanos();
  }

  /**
   * Runs one statement in a transaction and commits.
   *
   * @param <Q> the type of the request
   * @param <R> the type of the value read from a row
   * @param statement the statement
   * @param request the values of its parameters
   * @return the value read from each row
   * @throws dev.skipjack.api.StoreException if the database rejected the statement or could not be
   *     reached, or its response was lost; the next call may then borrow another connection
   * @throws IllegalStateException after {@link #close}
   */
  public <Q, R> List<R> run(Statement<Q, R> statement, Q request) {
    BoundStatement<R> bound = statement.bind(request);
    boolean committing = false;
    turn.lock();
    try {
      Connection connection = connection();
      List<R> rows = Session.own(connection, Preamble.OWN).run(bound);
      committing = true;
      connection.commit();
      usedAt = System.nanoTime();
      return rows;
    } catch (SQLException failure) {
      giveUpUnlessWhole(failure);
      throw OwnTransactions.failed(failure, committing);
    } catch (Throwable failure) {
      giveUp(failure);
      throw failure;
    } finally {
      endTurn();
    }
  }

  /**
   * Borrows a connection, unless it already has a working one.
   *
   * @throws dev.skipjack.api.StoreException if no connection is available, or its server is
   *     read-only
   * @throws IllegalStateException after {@link #close}
   */
  public void reserve() {
    turn.lock();
    try {
      Connection connection = connection();
      if (doubted || System.nanoTime() - usedAt > silence) {
        check(connection);
        doubted = false;
        usedAt = System.nanoTime();
      }
    } catch (SQLException failure) {
      throw OwnTransactions.refused(failure);
    } finally {
      endTurn();
    }
  }

  /** Makes the next {@link #reserve} check the server, even if the connection was used recently. */
  public void recheck() {
    doubted = true;
  }

  private void check(Connection connection) throws SQLException {
    try {
      ReadOnlyServer.requireWritable(connection);
      connection.rollback(); // the check would otherwise leave a transaction open
    } catch (SQLException failure) {
      // The connection broke, or its server was demoted. Another connection may work.
      giveUp(failure);
      Connection another = connection();
      if (ReadOnlyServer.refused(failure)) {
        checkAgain(another);
      }
    }
  }

  /**
   * Ends the turn of a call, and returns the connection if {@link #close} could not do so because
   * the call was running.
   */
  private void endTurn() {
    try {
      if (closed) {
        giveBack();
      }
    } finally {
      turn.unlock();
    }
  }

  private Connection connection() throws SQLException {
    if (closed) {
      throw new IllegalStateException(
          "These transactions were closed and can run nothing more. Create another instance.");
    }
    Connection connection = kept;
    if (connection == null) {
      return keep(connections.borrow());
    }
    if (connections.isBesidePool(connection)) {
      Optional<Connection> pooled = connections.borrowPooled(); // the pool may have recovered
      if (pooled.isPresent()) {
        giveBack();
        return keep(pooled.get());
      }
    }
    return connection;
  }

  private Connection keep(Connection connection) throws SQLException {
    kept = connection;
    usedAt = System.nanoTime();
    autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(false);
    networkTimeout = connection.getNetworkTimeout();
    connection.setNetworkTimeout(Runnable::run, (int) PATIENCE.toMillis());
    return connection;
  }

  private void checkAgain(Connection another) throws SQLException {
    try {
      ReadOnlyServer.requireWritable(another);
      another.rollback();
    } catch (SQLException failure) {
      giveUp(failure);
      throw failure;
    }
  }

  /**
   * Returns the connection to its pool, unless the failure only aborted its statement. In that case
   * the connection still works, and borrowing another one could take long if handlers use all
   * connections of the pool.
   */
  private void giveUpUnlessWhole(SQLException failure) {
    Connection connection = kept;
    if (connection == null || !ABORTED.contains(String.valueOf(failure.getSQLState()))) {
      giveUp(failure);
      return;
    }
    try {
      connection.rollback();
    } catch (SQLException broken) {
      failure.addSuppressed(broken);
      giveUp(failure);
    }
  }

  /**
   * Returns the connection to its pool, which detects whether it is broken. If its server is
   * read-only, breaks it first.
   */
  private void giveUp(Throwable failure) {
    Connection connection = kept;
    kept = null;
    if (connection == null) {
      return;
    }
    try (connection) {
      if (!ReadOnlyServer.abandon(connection, failure)) {
        connection.rollback();
        restore(connection);
      }
    } catch (SQLException broken) {
      failure.addSuppressed(broken);
    }
  }

  private void restore(Connection connection) throws SQLException {
    connection.setAutoCommit(autoCommit);
    connection.setNetworkTimeout(Runnable::run, networkTimeout);
  }

  /**
   * Returns the connection to the pool. Waits at most half a second for a running call, and then
   * aborts the connection.
   */
  @Override
  public void close() {
    closed = true;
    if (takeTurn()) {
      try {
        giveBack();
      } finally {
        turn.unlock();
      }
      return;
    }
    Connection busy = kept;
    if (busy != null) {
      try {
        busy.abort(Runnable::run);
      } catch (SQLException broken) {
        LOG.debug("Kept connection could not be aborted", broken);
      }
    }
  }

  /**
   * Waits for the lock for a limited time. An interrupted thread takes the lock only if it is free.
   */
  private boolean takeTurn() {
    try {
      return turn.tryLock(GOODBYE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException hurry) {
      Thread.currentThread().interrupt();
      return turn.tryLock();
    }
  }

  private void giveBack() {
    Connection connection = kept;
    kept = null;
    if (connection == null) {
      return;
    }
    try (connection) {
      restore(connection);
    } catch (SQLException broken) {
      LOG.debug("Kept connection was broken when it was returned", broken);
    }
  }
}
