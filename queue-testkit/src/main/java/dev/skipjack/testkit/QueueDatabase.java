package dev.skipjack.testkit;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.QueueAccess;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * A database with the queue's tables for a test class. All databases of a JVM are on the same
 * server.
 *
 * <p>The server is the first of the following that applies:
 *
 * <ol>
 *   <li>the server at the JDBC URL in the system property {@code skipjack.test.url} or, if that is
 *       not set, in the environment variable {@code SKIPJACK_TEST_URL}; its role must be allowed to
 *       create databases
 *   <li>a container, if Testcontainers is on the class path and Docker responds
 *   <li>an embedded server
 * </ol>
 *
 * <p>To request a major version, from 14 to 18, set the system property {@code skipjack.test.major}
 * or the environment variable {@code SKIPJACK_TEST_MAJOR}. A container is started with that
 * version. Any other server with a different version is rejected with a message that explains how
 * to fix this.
 *
 * <p>A container or embedded server is started by the first call to {@link #create()} and runs
 * until the JVM exits. It is configured for speed rather than durability, so a crash of the machine
 * may destroy all its data.
 *
 * <p>The time zone of the pools' sessions is deliberately not UTC. This class is thread-safe.
 *
 * @see QueueTest
 */
public final class QueueDatabase implements AutoCloseable {

  private static final int POOL_SIZE = 10;
  private static final int MOST_RESCUED = 1_000;
  private static final int MOST_TRIES = 20;

  private final TestServer server;
  private final String name;
  private final List<WatchedPool> pools = new ArrayList<>();
  private final HikariDataSource main;
  private final QueueEdits edits;
  private final TestQueue queue;
  private boolean closed;

  private QueueDatabase(TestServer server) {
    this.server = server;
    this.name = server.createDatabase();
    try {
      this.main = newDataSource(POOL_SIZE);
    } catch (RuntimeException e) {
      server.dropDatabase(name);
      throw e;
    }
    this.edits = new QueueEdits(main, TestServer.SCHEMA, Optional::empty);
    this.queue = TestQueue.on(main, TestServer.SCHEMA);
  }

  /**
   * Creates a database with empty tables.
   *
   * @return the database
   * @throws IllegalStateException if the database cannot be created; the cause contains the reason
   */
  public static QueueDatabase create() {
    return on(TestServer.running());
  }

  static QueueDatabase on(TestServer server) {
    return new QueueDatabase(server);
  }

  /** {@return a pool of ten connections in auto-commit mode, which is closed with the database} */
  public DataSource dataSource() {
    return main;
  }

  /**
   * Creates an additional pool, in auto-commit mode, for code that must not share the first one.
   *
   * @param poolSize the maximum number of connections; idle connections are closed after a while
   * @return the pool, which is closed with the database unless the caller closes it earlier
   */
  public HikariDataSource newDataSource(int poolSize) {
    synchronized (pools) {
      if (closed) {
        throw new IllegalStateException("Database " + name + " is closed");
      }
      WatchedPool pool =
          Pools.open(server.jdbcUrl(name), name + "-" + (pools.size() + 1), poolSize);
      pools.add(pool);
      return pool;
    }
  }

  /**
   * {@return the JDBC URL of the database, for another process or pool} The URL contains the user
   * and the password as parameters, so do not log it.
   */
  public String jdbcUrl() {
    return server.jdbcUrl(name);
  }

  /** {@return the schema of the queue's tables} */
  public String schema() {
    return TestServer.SCHEMA;
  }

  /**
   * {@return a connection from {@link #dataSource()}; the caller must close it}
   *
   * @throws SQLException if the pool cannot provide a connection
   */
  public Connection connection() throws SQLException {
    return main.getConnection();
  }

  /**
   * Empties the queue's tables. The id sequences are not reset.
   *
   * <p>Tables of the test that have foreign keys to the queue's tables are emptied as well.
   *
   * @throws IllegalStateException if another session holds a lock on a table for ten seconds, for
   *     example because a transaction is still open. The message states where the connections in
   *     use were borrowed
   */
  public void truncate() {
    truncate(QueueEdits.PATIENCE);
  }

  void truncate(Duration patience) {
    try {
      edits.truncate(patience);
    } catch (IllegalStateException e) {
      List<Throwable> out = connectionsOut();
      IllegalStateException refused =
          new IllegalStateException(
              "The tables of %s cannot be emptied. %s%s".formatted(name, e.getMessage(), list(out)),
              e);
      out.forEach(refused::addSuppressed);
      throw refused;
    }
  }

  /**
   * Simulates the passage of time without sleeping, by moving stored times into the past. This
   * affects the due and enqueue times of pending and waiting jobs, the sleeps and waits of durable
   * steps, the expiry of signals, of idempotency keys and of unique keys for a period, and the ends
   * of pauses. It does not affect leases (use {@link #loseLease} to end one) or the times of past
   * events, such as the end of a job.
   *
   * <p>A started worker is not notified and finds jobs that have become due at its next poll. Use
   * {@link JobRuns} to combine time travel with running jobs.
   *
   * @param time the duration, from 0 to 365,000 days, with microsecond precision
   * @throws IllegalStateException if the database rejects the change
   */
  public void timeTravel(Duration time) {
    queue.timeTravel(time);
  }

  /** Returns the queue of this database. */
  TestQueue queue() {
    return queue;
  }

  /**
   * Takes a running job away from its execution, as if its worker had been frozen for longer than
   * the lease. The lease expires immediately and the job is rescued, so that it is pending again,
   * dead if this was its last attempt, or cancelled if that was requested. Later writes by the
   * execution are rejected. Other jobs with expired leases are rescued too.
   *
   * <p>This method may be called by the handler of the job.
   *
   * @param job the id of the job
   * @param queue the queue that the job is in
   * @throws IllegalStateException if the job is not running, or does not belong to {@code queue}
   */
  public void loseLease(JobId job, QueueAccess queue) {
    ExecutionId execution =
        edits
            .executionOf(job)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "Job %s has no lease to lose: it is not running.".formatted(job)));
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      edits.endLease(job, execution);
      queue.store().rescue(Duration.ZERO, MOST_RESCUED);
      // A heartbeat of its worker may have renewed the lease in between.
      if (!edits.executionOf(job).equals(Optional.of(execution))) {
        return;
      }
    }
    throw new IllegalStateException(
        "Job %s keeps its lease. Is it a job of the queue that was given?".formatted(job));
  }

  /**
   * Terminates all other sessions of this database, as a restart of the server would, so that their
   * users get connection errors. Pools gradually replace broken connections. The pools of this
   * class test a connection before handing it out only if it has been idle for at least half a
   * second.
   */
  public void cutConnections() {
    edits.cutConnections();
  }

  private List<Throwable> connectionsOut() {
    synchronized (pools) {
      return pools.stream()
          .filter(pool -> !pool.isClosed())
          .flatMap(pool -> pool.out().stream())
          .toList();
    }
  }

  private static String list(List<Throwable> out) {
    return out.stream().map(taken -> "\n  " + taken.getMessage()).collect(Collectors.joining());
  }

  /**
   * Closes the pools and drops the database, even if sessions are still connected to it. Closing it
   * again has no effect.
   *
   * @throws AssertionError if connections were not returned to the pools. The message and the
   *     suppressed exceptions state where they were borrowed
   */
  @Override
  public void close() {
    List<Throwable> leaked;
    synchronized (pools) {
      if (closed) {
        return;
      }
      closed = true;
      leaked = connectionsOut();
      pools.forEach(HikariDataSource::close);
    }
    server.dropDatabase(name);
    if (!leaked.isEmpty()) {
      AssertionError error =
          new AssertionError(
              "%d connection(s) of %s were not returned to their pool; close every connection.%s"
                  .formatted(leaked.size(), name, list(leaked)));
      leaked.forEach(error::addSuppressed);
      throw error;
    }
  }
}
