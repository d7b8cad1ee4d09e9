package dev.skipjack.store.jooq.internal.sql;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import com.zaxxer.hikari.pool.ProxyConnection;
import com.zaxxer.hikari.util.UtilityElf;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.Optional;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provides connections while a HikariCP pool cannot open one. Safe for any number of threads.
 *
 * <p>While its server is unavailable, HikariCP pauses between its attempts to connect, for up to
 * five seconds, and its borrowers wait for as long as its {@code connectionTimeout}, 30 seconds by
 * default. If an attempt of the pool has failed, this class therefore waits for at most half a
 * second, or two seconds if the attempt lasts that long, unless all connections of the pool are in
 * use. It then connects by itself. A worker thus notices an outage at once, and its end as well.
 * The connection has the settings of the pool's connections, and is closed after use.
 */
final class PoolBypass {

  private static final Logger LOG = LoggerFactory.getLogger(PoolBypass.class);

  /** How long to wait for a pool that could open a connection. */
  private static final long PATIENCE = 500;

  /** How long an attempt of the pool to connect may last before it is assumed to hang. */
  private static final long HANGS = 2_000;

  /** How long to wait for a pool that failed to open a connection the last time. */
  private static final long GLANCE = 10;

  /** The class of SQLSTATEs of a rejected login. */
  private static final String REJECTED_LOGIN = "28";

  private final Hikari pool;

  private PoolBypass(Hikari pool) {
    this.pool = pool;
  }

  /**
   * Returns a bypass, or empty if the data source is not HikariCP's own. A wrapper or a subclass
   * may do more than borrow a connection, so it is never bypassed.
   *
   * @throws NoClassDefFoundError if HikariCP is missing
   */
  static Optional<PoolBypass> of(DataSource dataSource) {
    return Hikari.of(dataSource).map(PoolBypass::new);
  }

  /**
   * Returns a connection of the pool or, if the pool cannot open one, a connection of its own.
   *
   * @throws SQLException if all connections are in use, or the server is unavailable
   */
  Connection connect() throws SQLException {
    return pool.connect();
  }

  /** Returns whether the connection is not one of the pool. */
  static boolean isBeside(Connection connection) {
    return Hikari.isBeside(connection);
  }

  /**
   * A separate class, because HikariCP may be missing: the class is loaded only when it is called.
   */
  private static final class Hikari {

    private final HikariDataSource dataSource;
    private volatile boolean stuck;

    Hikari(HikariDataSource dataSource) {
      this.dataSource = dataSource;
    }

    static Optional<Hikari> of(DataSource dataSource) {
      return dataSource.getClass() == HikariDataSource.class
          ? Optional.of(new Hikari((HikariDataSource) dataSource))
          : Optional.empty();
    }

    static boolean isBeside(Connection connection) {
      return !(connection instanceof ProxyConnection);
    }

    Connection connect() throws SQLException {
      try {
        // Null before the first connection, and unusable after the pool was closed.
        if (dataSource.getHikariPoolMXBean() instanceof HikariPool pool && !dataSource.isClosed()) {
          return connect(pool);
        }
      } catch (LinkageError otherVersion) {
        LOG.debug("Pauses of this version of HikariCP cannot be bypassed", otherVersion);
      }
      return dataSource.getConnection();
    }

    private Connection connect(HikariPool pool) throws SQLException {
      long most = dataSource.getConnectionTimeout();
      long left = most;
      while (true) {
        long wait = isExhausted(pool) ? left : Math.min(left, stuck ? GLANCE : PATIENCE);
        try {
          Connection connection = pool.getConnection(wait);
          if (stuck) {
            stuck = false;
          }
          return connection;
        } catch (SQLTransientConnectionException timedOut) {
          left -= wait;
          // The cause is a failure of the pool to connect; without one, its attempt still lasts.
          boolean fails = stuck || timedOut.getCause() != null || most - left >= HANGS;
          if (fails && pool.getTotalConnections() < dataSource.getMaximumPoolSize()) {
            stuck = true;
            return connectBeside(pool, timedOut);
          }
          if (left <= 0) {
            throw timedOut;
          }
        }
      }
    }

    private boolean isExhausted(HikariPool pool) {
      return pool.getIdleConnections() == 0
          && pool.getTotalConnections() >= dataSource.getMaximumPoolSize();
    }

    private Connection connectBeside(HikariPool pool, SQLException timedOut) throws SQLException {
      DataSource driver = pool.getUnwrappedDataSource();
      String user = dataSource.getUsername();
      try {
        Connection connection =
            user == null
                ? driver.getConnection()
                : driver.getConnection(user, dataSource.getPassword());
        return prepared(connection);
      } catch (SQLException unavailable) {
        if (String.valueOf(unavailable.getSQLState()).startsWith(REJECTED_LOGIN)) {
          timedOut.addSuppressed(
              unavailable); // the pool may have newer credentials, from a provider
          throw timedOut;
        }
        unavailable.addSuppressed(timedOut);
        throw unavailable;
      }
    }

    /** Applies the settings that the pool applies to its connections. */
    private Connection prepared(Connection connection) throws SQLException {
      try {
        String first = dataSource.getConnectionInitSql();
        if (first != null) {
          try (Statement statement = connection.createStatement()) {
            statement.execute(first);
          }
        }
        if (dataSource.getSchema() != null) {
          connection.setSchema(dataSource.getSchema());
        }
        if (dataSource.getTransactionIsolation() != null) {
          connection.setTransactionIsolation(
              UtilityElf.getTransactionIsolation(dataSource.getTransactionIsolation()));
        }
        connection.setReadOnly(dataSource.isReadOnly());
        connection.setAutoCommit(dataSource.isAutoCommit());
        return connection;
      } catch (Throwable failure) {
        try (connection) {
          throw failure;
        }
      }
    }
  }
}
