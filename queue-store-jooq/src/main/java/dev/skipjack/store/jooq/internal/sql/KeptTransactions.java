package dev.skipjack.store.jooq.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * As {@link OwnTransactions}, on one connection that is kept from call to call and holds no
 * transaction in between. Since the pool cannot look after it, it is asked after a minute of
 * silence whether its server is there and can be written to, and an answer that does not come
 * within ten seconds ends it. Safe for any number of threads, one at a time.
 */
public final class KeptTransactions implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KeptTransactions.class);

  /** Deadlock, cancelled statement, lock not available, untranslatable character. */
  private static final Set<String> BROKEN_OFF = Set.of("40P01", "57014", "55P03", "22P05");

  /** How long the connection may be silent before it is asked whether it is alive. */
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

  /** On a connection of {@code dataSource}, which is borrowed by the first call. */
  public KeptTransactions(DataSource dataSource) {
    this(dataSource, SILENCE);
  }

  /**
   * @param silence after which the connection is asked whether it is alive
   */
  KeptTransactions(DataSource dataSource, Duration silence) {
    this.connections = new OwnConnections(dataSource);
    this.silence = silence.toNanos();
  }

  /**
   * Runs one statement in a transaction and commits.
   *
   * @return what each row became
   * @throws dev.skipjack.api.StoreException if the database refused, was not reached, or its answer
   *     was lost; the next call borrows another connection then
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
    } catch (RuntimeException | Error failure) {
      giveUp(failure);
      throw failure;
    } finally {
      endTurn();
    }
  }

  /**
   * Borrows the connection now, unless there is one that is alive.
   *
   * @throws dev.skipjack.api.StoreException if there is none to be had, or its server is read-only
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

  /** Lets the next {@link #reserve} ask the server, however lately the connection was used. */
  public void recheck() {
    doubted = true;
  }

  private void check(Connection connection) throws SQLException {
    try {
      ReadOnlyServer.requireWritable(connection);
      connection.rollback(); // or the question's transaction would stay open
    } catch (SQLException failure) {
      // It died in silence, or its server was demoted; another may be had.
      giveUp(failure);
      Connection another = connection();
      if (ReadOnlyServer.refused(failure)) {
        checkAgain(another);
      }
    }
  }

  /** A close that found the turn taken leaves it to us to give back the connection. */
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
      throw new IllegalStateException("The connection was given back.");
    }
    Connection connection = kept;
    if (connection == null) {
      connection = connections.borrow();
      kept = connection;
      usedAt = System.nanoTime();
      autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      networkTimeout = connection.getNetworkTimeout();
      connection.setNetworkTimeout(Runnable::run, (int) PATIENCE.toMillis());
    }
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
   * An aborted statement does not mean that its connection is broken, and where handlers wait for
   * one, another would be long in coming.
   */
  private void giveUpUnlessWhole(SQLException failure) {
    Connection connection = kept;
    if (connection == null || !BROKEN_OFF.contains(String.valueOf(failure.getSQLState()))) {
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

  /** Whatever is wrong with the connection, its pool finds out when it comes back. */
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

  /** Waits half a second at most for a call that is under way, and then breaks it off. */
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

  /** An interrupted thread does not wait, but takes what is free. */
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
      LOG.debug("Kept connection was broken when it was given back", broken);
    }
  }
}
