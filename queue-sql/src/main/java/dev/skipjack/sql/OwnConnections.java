package dev.skipjack.sql;

import dev.skipjack.api.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Borrows the connections on which the queue runs its own transactions. Safe for any number of
 * threads.
 *
 * <p>A data source that is bound to the caller's transaction provides that transaction's
 * connection, and a commit on it would commit the caller's work. After the first statement of the
 * transaction, the driver reports that the transaction is open. Before that, the only indication is
 * that auto-commit is off, which may also be the configuration of a pool. Such a connection is
 * therefore rejected in only two cases. First, a HikariCP pool is configured with auto-commit.
 * Second, the data source has provided a connection in auto-commit mode before, and now provides
 * the same connection a second time while it is still borrowed. A data source that provides two
 * different connections counts as a pool, and is not tested again.
 */
public final class OwnConnections {

  private static final Logger LOG = LoggerFactory.getLogger(OwnConnections.class);

  private final DataSource dataSource;
  private final Optional<PoolBypass> bypass;
  private volatile boolean autoCommitSeen;
  private volatile boolean isPool;

  /**
   * Creates an instance that borrows connections from {@code dataSource}.
   *
   * @param dataSource connections to the database
   */
  public OwnConnections(DataSource dataSource) {
    this(dataSource, Optional.empty());
  }

  private OwnConnections(DataSource dataSource, Optional<PoolBypass> bypass) {
    this.dataSource = dataSource;
    this.bypass = bypass;
  }

  /**
   * Creates an instance for a worker. If {@code dataSource} is a HikariCP pool that cannot open a
   * connection, this instance does not wait for the end of the pool's pauses, but connects by
   * itself.
   *
   * @param dataSource connections to the database
   * @return the connections
   */
  public static OwnConnections ofWorkers(DataSource dataSource) {
    return ofWorkers(dataSource, PoolBypass.HANGS);
  }

  /**
   * {@return connections for a worker}
   *
   * @param hangs how long an attempt of the pool to connect may last before it is assumed to hang
   */
  static OwnConnections ofWorkers(DataSource dataSource, Duration hangs) {
    try {
      return new OwnConnections(dataSource, PoolBypass.of(dataSource, hangs));
    } catch (NoClassDefFoundError absent) {
      LOG.trace("Pool is not HikariCP; its pauses after an outage cannot be bypassed");
      return new OwnConnections(dataSource);
    }
  }

  /** Returns whether this connection was opened outside the pool, which could not provide one. */
  boolean isBesidePool(Connection connection) {
    return bypass.isPresent() && PoolBypass.isBeside(connection);
  }

  /**
   * Borrows a connection on which no transaction is open. The check sends nothing to the server.
   *
   * @return the connection, which the caller returns
   * @throws IllegalStateException if a transaction is open or has failed on the connection, or the
   *     connection belongs to a transaction in which nothing has run yet. The transaction is
   *     neither committed nor rolled back
   * @throws StoreException if the data source itself had no connection available
   * @throws SQLException if the driver could not connect
   */
  public Connection borrow() throws SQLException {
    return checked(connect());
  }

  /**
   * Borrows a connection of the pool to replace one that was opened {@linkplain #isBesidePool
   * outside} it. Returns empty if none is available immediately.
   */
  Optional<Connection> borrowPooled() throws SQLException {
    Optional<Connection> connection = bypass.orElseThrow().glance();
    return connection.isPresent() ? Optional.of(checked(connection.get())) : connection;
  }

  private Connection checked(Connection connection) throws SQLException {
    try {
      requireNoTransaction(connection);
      return connection;
    } catch (Throwable failure) {
      giveBack(connection, failure);
      throw failure;
    }
  }

  private Connection connect() throws SQLException {
    try {
      return bypass.isPresent() ? bypass.get().connect() : dataSource.getConnection();
    } catch (SQLException failure) {
      if (failure.getSQLState() == null && !PostgresDriver.isBehind(failure)) {
        throw new StoreException(noConnection(failure), failure);
      }
      throw failure;
    } catch (RuntimeException failure) {
      // HikariCP throws one if there is no driver for its URL.
      if (failure.getCause() instanceof SQLException cause) {
        throw cause;
      }
      throw failure;
    }
  }

  private static String noConnection(SQLException failure) {
    return "The data source provided no connection, so nothing was sent to the database: %s If all connections were in use: raise the pool's maximum size, end transactions that stay open, or give workers a pool of their own with JobQueue.builder(dataSource).controlOn(pool)."
        .formatted(PostgresDriver.sentence(failure));
  }

  private void requireNoTransaction(Connection connection) throws SQLException {
    if (PostgresDriver.isInTransaction(connection) || isBound(connection)) {
      throw new IllegalStateException(
          "The data source handed out a connection that is inside a transaction (open, begun by"
              + " setAutoCommit(false), or failed and not rolled back), and the queue would have"
              + " committed that transaction. To enqueue in that transaction, use"
              + " queue.in(connection). Give JobQueue the pool itself, not a data source that is"
              + " bound to transactions, such as TransactionAwareDataSourceProxy. If it is a pool,"
              + " other code returned the connection without ending its transaction.");
    }
  }

  /**
   * Returns whether the connection belongs to a caller's transaction in which no statement has run.
   */
  private boolean isBound(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      if (!autoCommitSeen) {
        autoCommitSeen = true;
      }
      return false;
    }
    if (isPool) {
      return false;
    }
    Optional<Boolean> configured = PoolAutoCommit.of(dataSource);
    return configured.isPresent()
        ? configured.get()
        : autoCommitSeen && isHandedOutAgain(connection);
  }

  private boolean isHandedOutAgain(Connection borrowed) {
    try (Connection second = dataSource.getConnection()) {
      if (PostgresDriver.isSame(borrowed, second)) {
        return true;
      }
    } catch (SQLException exhausted) {
      LOG.debug(
          "No second connection available; the first is assumed to come from a pool", exhausted);
    }
    isPool = true;
    return false;
  }

  private static void giveBack(Connection connection, Throwable failure) {
    try {
      connection.close();
    } catch (SQLException broken) {
      failure.addSuppressed(broken);
    }
  }
}
