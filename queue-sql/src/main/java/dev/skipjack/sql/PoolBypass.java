package dev.skipjack.sql;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import com.zaxxer.hikari.pool.ProxyConnection;
import com.zaxxer.hikari.util.UtilityElf;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provides connections while a HikariCP pool cannot open one. Safe for any number of threads.
 *
 * <p>While its server is unavailable, HikariCP pauses for up to five seconds between its attempts
 * to connect. A borrower waits for up to its {@code connectionTimeout}, 30 seconds by default.
 * Unless all connections of the pool are in use, this class waits for the pool for at most half a
 * second if the pool's last attempt failed, and for two seconds if an attempt hangs. It then opens
 * its own connection. If the server refuses this connection, because the login is rejected or a
 * limit is reached, this class waits for the pool. A worker therefore detects the start and the end
 * of an outage within about two seconds. The connection has the settings of the pool's connections,
 * and is closed after use.
 *
 * <p>In the pool's queue, no thread may stop waiting before the threads ahead of it. Otherwise, a
 * defect of {@link java.util.concurrent.SynchronousQueue} in Java 17 (JDK-8301341) makes threads
 * that have stopped waiting spin until another thread joins or leaves the queue. If no connection
 * is idle, a separate thread therefore waits in the queue for as long as other borrowers do. If
 * that is too long for the caller, a later caller takes over its request.
 */
final class PoolBypass {

  private static final Logger LOG = LoggerFactory.getLogger(PoolBypass.class);

  /** Milliseconds to wait for a pool that may open another connection. */
  private static final long PATIENCE = 500;

  /** How long an attempt of the pool to connect may last before it is assumed to hang. */
  static final Duration HANGS = Duration.ofSeconds(2);

  /** Milliseconds to wait for a pool whose connections are all in use, before checking it again. */
  private static final long SLICE = 1_000;

  /** Milliseconds to wait for a pool that could not open a connection the last time. */
  private static final long GLANCE = 10;

  /** Milliseconds by which a caller waits longer than a request that it has begun. */
  private static final long SLACK = 100;

  /** The timeout with which the pool returns only idle connections. */
  private static final long NO_WAIT = 0;

  /** The class of SQLSTATEs of a rejected login. */
  private static final String REJECTED_LOGIN = "28";

  /** The class of SQLSTATEs of a server that has reached a limit, such as that of connections. */
  private static final String NO_RESOURCES = "53";

  private final Hikari pool;

  private PoolBypass(Hikari pool) {
    this.pool = pool;
  }

  /**
   * Returns a bypass, or empty if the data source is not HikariCP's own. A wrapper or a subclass
   * may do more than borrow a connection, so it is never bypassed.
   *
   * @param hangs how long an attempt of the pool to connect may last before it is assumed to hang
   * @throws NoClassDefFoundError if HikariCP is missing
   */
  static Optional<PoolBypass> of(DataSource dataSource, Duration hangs) {
    // Compare the name first, so that other data sources do not load HikariCP.
    return dataSource.getClass().getName().equals("com.zaxxer.hikari.HikariDataSource")
        ? Hikari.of(dataSource, hangs).map(PoolBypass::new)
        : Optional.empty();
  }

  /**
   * Returns a connection of the pool or, if the pool cannot open one, a connection of its own.
   *
   * @throws SQLException if all connections are in use, or the server is unavailable
   */
  Connection connect() throws SQLException {
    return pool.connect();
  }

  /**
   * Returns a connection of the pool, or empty if none is available immediately.
   *
   * @throws SQLException if the pool was closed
   */
  Optional<Connection> glance() throws SQLException {
    return pool.glance();
  }

  /** Returns whether the connection was opened outside the pool. */
  static boolean isBeside(Connection connection) {
    return Hikari.isBeside(connection);
  }

  /**
   * A separate class, because HikariCP may be missing: the class is loaded only when it is called.
   */
  private static final class Hikari {

    private final HikariDataSource dataSource;
    private final long hangs;
    private volatile boolean stuck;

    /** The requests that are waiting in the pool's queue without a caller. */
    private final Queue<Request> abandoned = new ConcurrentLinkedQueue<>();

    Hikari(HikariDataSource dataSource, Duration hangs) {
      this.dataSource = dataSource;
      this.hangs = hangs.toNanos();
    }

    static Optional<Hikari> of(DataSource dataSource, Duration hangs) {
      return dataSource.getClass() == HikariDataSource.class
          ? Optional.of(new Hikari((HikariDataSource) dataSource, hangs))
          : Optional.empty();
    }

    static boolean isBeside(Connection connection) {
      return !(connection instanceof ProxyConnection);
    }

    Connection connect() throws SQLException {
      try {
        // The MXBean is null before the first connection, and unusable after the pool was closed.
        if (dataSource.getHikariPoolMXBean() instanceof HikariPool pool && !dataSource.isClosed()) {
          return connect(pool);
        }
      } catch (LinkageError otherVersion) {
        LOG.debug("Pauses of this version of HikariCP cannot be bypassed", otherVersion);
      }
      return dataSource.getConnection();
    }

    private Connection connect(HikariPool pool) throws SQLException {
      long began = System.nanoTime();
      Optional<Connection> idle = idle(pool);
      return idle.isPresent() ? idle.get() : await(pool, began);
    }

    private Connection await(HikariPool pool, long began) throws SQLException {
      // A new request ends first, and its failure reports how long it has waited.
      long longest = dataSource.getConnectionTimeout() + SLACK;
      long deadline = System.nanoTime() + MILLISECONDS.toNanos(longest);
      long hasRoomSince = began;
      SQLException refused = null;
      Request request = null;
      try {
        while (true) {
          request = request == null ? request(pool) : request;
          boolean exhausted = isExhausted(pool);
          long left = Math.max(NANOSECONDS.toMillis(deadline - System.nanoTime()), 1);
          SQLTransientConnectionException none;
          try {
            Connection connection =
                request.await(refused == null ? Math.min(left, patience(exhausted)) : left);
            request = null;
            return taken(connection);
          } catch (SQLTransientConnectionException timedOut) {
            request = null; // it may have begun before this call
            none = timedOut;
          } catch (TimeoutException notYet) {
            try {
              return taken(pool.getConnection(NO_WAIT));
            } catch (SQLTransientConnectionException notIdle) {
              none = notIdle;
            }
          }
          long now = System.nanoTime();
          hasRoomSince = exhausted ? now : hasRoomSince;
          // The cause is a failure of the pool to connect. Without a cause, the attempt is still
          // running.
          boolean fails = stuck || none.getCause() != null || now - hasRoomSince >= hangs;
          if (refused == null && fails && hasRoom(pool)) {
            try {
              return connectBeside(pool);
            } catch (SQLException failure) {
              if (!isRefused(failure)) {
                failure.addSuppressed(none);
                throw failure;
              }
              refused = failure;
            }
          }
          if (System.nanoTime() - deadline >= 0) {
            if (refused != null) {
              none.addSuppressed(refused);
            }
            throw none;
          }
        }
      } finally {
        if (request != null) {
          abandon(request);
        }
      }
    }

    Optional<Connection> glance() throws SQLException {
      if (dataSource.getHikariPoolMXBean() instanceof HikariPool pool && !dataSource.isClosed()) {
        return idle(pool);
      }
      return Optional.of(dataSource.getConnection());
    }

    /**
     * Returns an idle connection of the pool, or empty if there is none. The pool closes idle
     * connections that are broken, which may take seconds if their server does not respond.
     */
    private Optional<Connection> idle(HikariPool pool) throws SQLException {
      long until = System.nanoTime() + MILLISECONDS.toNanos(PATIENCE);
      while (pool.getIdleConnections() > 0 && System.nanoTime() - until < 0) {
        try {
          return Optional.of(taken(pool.getConnection(NO_WAIT)));
        } catch (SQLTransientConnectionException none) {
          LOG.trace("Idle connection was broken or was taken by another thread");
        }
      }
      return Optional.empty();
    }

    private Connection taken(Connection pooled) {
      if (stuck) {
        stuck = false;
      }
      return pooled;
    }

    /** Returns a request that waits in the pool's queue. */
    private Request request(HikariPool pool) {
      Request waiting = abandoned.poll();
      if (waiting != null) {
        return waiting;
      }
      Request request = new Request();
      Thread thread =
          new Thread(
              null,
              () -> request.run(pool::getConnection),
              "queue-pool-" + dataSource.getPoolName(),
              0,
              false);
      thread.setContextClassLoader(null); // it may outlive the application that waits
      thread.setDaemon(true);
      thread.start();
      return request;
    }

    /**
     * Leaves a request to a later caller. If the pool responds before that, the connection returns
     * to the pool.
     */
    private void abandon(Request request) {
      abandoned.add(request);
      request.whenDone(
          connection -> {
            if (abandoned.remove(request) && connection != null) {
              giveBack(connection);
            }
          });
    }

    private static void giveBack(Connection connection) {
      try {
        connection.close();
      } catch (SQLException broken) {
        LOG.debug("Connection broke before it was used", broken);
      }
    }

    private long patience(boolean exhausted) {
      if (exhausted) {
        return SLICE;
      }
      return stuck ? GLANCE : PATIENCE;
    }

    private boolean isExhausted(HikariPool pool) {
      return pool.getIdleConnections() == 0 && !hasRoom(pool);
    }

    private boolean hasRoom(HikariPool pool) {
      return pool.getTotalConnections() < dataSource.getMaximumPoolSize();
    }

    /**
     * Returns whether the server is available but accepts no connection like this one. The pool may
     * still provide one, which is returned to it or which it opens with newer credentials.
     */
    private static boolean isRefused(SQLException failure) {
      String state = String.valueOf(failure.getSQLState());
      return state.startsWith(REJECTED_LOGIN) || state.startsWith(NO_RESOURCES);
    }

    private Connection connectBeside(HikariPool pool) throws SQLException {
      DataSource driver = pool.getUnwrappedDataSource();
      String user = dataSource.getUsername();
      try {
        Connection connection =
            prepared(
                user == null
                    ? driver.getConnection()
                    : driver.getConnection(user, dataSource.getPassword()));
        stuck = true;
        return connection;
      } catch (SQLException failure) {
        stuck = !isRefused(failure);
        throw failure;
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

  /** Waits for a connection of the pool in its own thread. Compared by identity. */
  private static final class Request {

    private final CompletableFuture<Connection> response = new CompletableFuture<>();

    void run(Callable<Connection> pool) {
      try {
        response.complete(pool.call());
      } catch (Throwable none) {
        response.completeExceptionally(none);
      }
    }

    /** Waits for the connection for at most the given milliseconds. */
    Connection await(long millis) throws SQLException, TimeoutException {
      try {
        return response.get(millis, MILLISECONDS);
      } catch (ExecutionException failed) {
        if (failed.getCause() instanceof SQLException failure) {
          throw failure;
        }
        throw new SQLException("The pool failed to provide a connection.", failed.getCause());
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new SQLException("Interrupted while waiting for a connection.", interrupted);
      }
    }

    /** Passes the connection, or null after a failure, to an action as soon as it is known. */
    void whenDone(Consumer<@Nullable Connection> action) {
      CompletableFuture<Connection> unused =
          response.whenComplete((connection, failure) -> action.accept(connection));
    }
  }
}
