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
 * A database for one test class, with the queue's tables, on the server of this JVM.
 *
 * <p>The server is the first of these that is available: the one named by the system property
 * {@code skipjack.test.url} or else by the environment variable {@code SKIPJACK_TEST_URL} (its role
 * must be allowed to create databases); a container, if Testcontainers is on the class path and
 * Docker responds; an embedded server. The system property {@code skipjack.test.major} or the
 * variable {@code SKIPJACK_TEST_MAJOR} requests a major version, 14 to 18: a container is started
 * with that version, and any other server with a different version is refused with a message that
 * explains the fix. The server is started at the first call of {@link #create()} and runs until the
 * JVM ends. It is tuned for speed, not durability: a crash of the machine may destroy all its data.
 *
 * <p>The time zone of sessions from these pools is deliberately not UTC. Safe for any number of
 * threads.
 *
 * @see QueueTest
 */
public final class QueueDatabase implements AutoCloseable {

  private static final int POOL_SIZE = 10;
  private static final int MOST_RESCUED = 1_000;
  private static final int MOST_TRIES = 20;

  /** PostgreSQL's calendar begins some 6,700 years ago. */
  private static final Duration FARTHEST = Duration.ofDays(365_000);

  private final TestServer server;
  private final String name;
  private final List<WatchedPool> pools = new ArrayList<>();
  private final HikariDataSource main;
  private final QueueEdits edits;
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
    this.edits = new QueueEdits(main);
  }

  /**
   * Creates a database with empty tables.
   *
   * @throws IllegalStateException if the server refuses; the cause contains the reason
   */
  public static QueueDatabase create() {
    return on(TestServer.running());
  }

  static QueueDatabase on(TestServer server) {
    return new QueueDatabase(server);
  }

  /** Returns a pool of ten connections in auto-commit mode, which is closed with the database. */
  public DataSource dataSource() {
    return main;
  }

  /**
   * Creates another pool, in auto-commit mode, for code that must not share the first one.
   *
   * @param poolSize maximum number of connections; idle ones are closed after a while
   * @return the pool; it may be closed early, and is otherwise closed with the database
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
   * Returns the URL with user and password as parameters, for another process or pool: keep it out
   * of logs.
   */
  public String jdbcUrl() {
    return server.jdbcUrl(name);
  }

  /** Returns the schema of the queue's tables. */
  public String schema() {
    return TestServer.SCHEMA;
  }

  /** Returns a connection from {@link #dataSource()}; the caller must close it. */
  public Connection connection() throws SQLException {
    return main.getConnection();
  }

  /**
   * Empties the queue's tables; ids do not start at one again.
   *
   * <p>A table of the test's own whose foreign key refers to one of them is emptied with it.
   *
   * @throws IllegalStateException if another session keeps a lock on a table for ten seconds, as an
   *     open transaction does; the message names where the connections in use were borrowed
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
   * Lets {@code time} pass for everything that waits, without sleeping. Moves these times into the
   * past by that duration: the due and enqueue times of pending and waiting jobs, the ends of keys
   * that outlive their jobs (idempotency keys, unique keys for a period), and the ends of pauses.
   * Leases do not move ({@link #loseLease} ends one), nor do times of past events, such as the
   * death or the end of a job.
   *
   * <p>A started worker is not notified and finds jobs that became due at its next poll. {@link
   * JobRuns} combines time travel with running jobs.
   *
   * @param time not negative, microsecond precision, at most 365,000 days
   * @throws IllegalStateException if the database refuses the change
   */
  public void timeTravel(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException(
          "Time travel goes forward only, not by %s.".formatted(time));
    }
    if (time.compareTo(FARTHEST) > 0) {
      throw new IllegalArgumentException(
          "%s is too far to travel; at most %s.".formatted(time, FARTHEST));
    }
    edits.travel(time);
  }

  Optional<Duration> untilNextDue() {
    return edits.untilNextDue();
  }

  /**
   * Takes a running job from its execution, as if its worker had been frozen for longer than the
   * lease: the lease expires immediately and the job is rescued, so that it is pending again or, if
   * that was its last attempt, dead. Later writes of the execution are refused. Other jobs with
   * expired leases are rescued too.
   *
   * <p>May be called by the job's handler.
   *
   * @param queue the queue that the job is in
   * @throws IllegalStateException if the job is not running
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
   * Ends every session of this database except the current one, like a restart of the server: their
   * users get connection errors. Pools replace broken connections over time; the pools of this
   * class test a connection before handing it out only if it has been unused for half a second.
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
   * Closes the pools and drops the database, even if sessions are still connected to it. Closing
   * twice has no effect.
   *
   * @throws AssertionError if connections of the pools were not returned; the message and the
   *     suppressed exceptions name where they were borrowed
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
