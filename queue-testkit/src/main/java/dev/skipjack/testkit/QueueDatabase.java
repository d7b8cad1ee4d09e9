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
 * A database of its own for a test, with the queue's tables in it, on the server of this JVM.
 *
 * <p>The server is, in this order: the one of the system property {@code skipjack.test.url} or else
 * of the environment variable {@code SKIPJACK_TEST_URL} (its role must be allowed to create
 * databases); a container, if Testcontainers is on the class path and Docker answers; an embedded
 * server. The system property {@code skipjack.test.major} or the variable {@code
 * SKIPJACK_TEST_MAJOR} asks for a major version, 14 to 18: the container is of that one, and any
 * other server that is not refuses to serve, with advice. It is started at the first call of {@link
 * #create()} and serves until the JVM ends. It is tuned to forget: a crash of the machine may cost
 * all of it.
 *
 * <p>The time zone of the sessions from the pools here is deliberately not UTC. Safe for any number
 * of threads.
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
   * A new database with empty tables.
   *
   * @throws IllegalStateException if the server refuses; the cause says why
   */
  public static QueueDatabase create() {
    return on(TestServer.running());
  }

  static QueueDatabase on(TestServer server) {
    return new QueueDatabase(server);
  }

  /** A pool of ten connections in auto-commit mode. It is closed with the database. */
  public DataSource dataSource() {
    return main;
  }

  /**
   * Another pool, in auto-commit mode, for what must not share the first one.
   *
   * @param poolSize most connections it opens; none is kept when idle for long
   * @return may be closed early; otherwise closed with the database
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
   * The URL with user and password as parameters, for another process or pool: keep it out of logs.
   */
  public String jdbcUrl() {
    return server.jdbcUrl(name);
  }

  /** The schema that the queue's tables are in. */
  public String schema() {
    return TestServer.SCHEMA;
  }

  /** A connection from {@link #dataSource()}; the caller closes it. */
  public Connection connection() throws SQLException {
    return main.getConnection();
  }

  /**
   * Empties the queue's tables; ids are not counted from one again.
   *
   * <p>A table of the test's own whose foreign key refers to one of them is emptied with it.
   *
   * @throws IllegalStateException if somebody else keeps a lock on a table for ten seconds, as an
   *     open transaction does; the message says where the connections that are out were taken
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
   * Lets {@code time} pass for what waits, without sleeping: due times of pending and waiting jobs,
   * the times of their enqueue, the ends of keys that outlive their jobs (idempotency keys, unique
   * keys for a period), and pauses of limited time move so far into the past. Leases do not move
   * ({@link #loseLease} ends one), nor does what has happened already, such as the time of a death
   * or an end.
   *
   * <p>A started worker hears nothing of it and finds what became due by its next poll. {@link
   * JobRuns} travels and runs.
   *
   * @param time not negative, microsecond precision, at most 365,000 days
   * @throws IllegalStateException if the database refuses
   */
  public void timeTravel(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("Nobody travels back, not even by %s.".formatted(time));
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
   * Takes a running job from its execution, as when a worker was frozen for longer than its lease:
   * the lease is over at once and the job is rescued, so that it is pending again or, if that was
   * its last attempt, dead. What the execution answers afterwards is refused. Other leases that ran
   * out are rescued with it.
   *
   * <p>May be called by the handler of the job.
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
   * Ends every session of this database but the one that does it, as a restart of the server would:
   * whoever uses one meets a broken connection. Pools replace them in time; those here test a
   * connection before they lend it only if nobody used it for half a second.
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
   * Closes the pools and drops the database, whoever is still connected to it. Closing twice does
   * nothing.
   *
   * @throws AssertionError if connections of the pools had not been given back; the message and the
   *     suppressed exceptions say where they were taken
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
              "%d connection(s) of %s were not given back to their pool; close each connection that is taken.%s"
                  .formatted(leaked.size(), name, list(leaked)));
      leaked.forEach(error::addSuppressed);
      throw error;
    }
  }
}
