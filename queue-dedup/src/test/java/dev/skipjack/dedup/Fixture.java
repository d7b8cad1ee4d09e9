package dev.skipjack.dedup;

import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;

/** The steps that tests of unique jobs share. */
final class Fixture {

  record Sync(String account, int version) {}

  static final JobType<Sync> SYNC = JobType.of("sync", Sync.class).maxAttempts(2);
  static final JobType<Sync> OTHER = JobType.of("other", Sync.class).maxAttempts(2);
  static final Unique<Sync> BY_ACCOUNT = Unique.by(Sync::account);

  /** Whether long tests run at full length, which {@code -Psoak} requests. */
  static final boolean SOAK = Boolean.getBoolean("skipjack.soak");

  static final Duration LEASE = Duration.ofSeconds(30);

  /** A lease that has expired when the claim returns, so that no test waits for one. */
  static final Duration EXPIRED = Duration.ofNanos(1_000);

  final QueueDatabase database;
  final JobQueue queue;
  final JobStore store;
  final UniqueJobs unique;

  Fixture(QueueDatabase database) {
    this(database, true);
  }

  /**
   * @param wakeUps whether callers' transactions take the advisory lock of a wake-up
   */
  Fixture(QueueDatabase database, boolean wakeUps) {
    this.database = database;
    this.queue =
        JobQueue.builder(database.dataSource()).schema(database.schema()).wakeUps(wakeUps).build();
    this.store = queue.store();
    this.unique = UniqueJobs.on(queue);
  }

  static Sync sync(String account) {
    return new Sync(account, 1);
  }

  Execution claim() {
    return claim(1, LEASE).get(0);
  }

  List<Execution> claim(int limit, Duration lease) {
    return store
        .claim(
            new ClaimRequest(
                WorkerId.boot("test"),
                List.of(new LaneShare(new Lane("default", 0), limit, null)),
                List.of("sync", "other"),
                limit,
                lease))
        .stream()
        .map(ClaimedJob::execution)
        .toList();
  }

  void fail(Execution execution, boolean isFinal) {
    store.fail(List.of(new Failure(execution, JobError.of("no luck"), Duration.ZERO, isFinal)));
  }

  /** Returns the payload version, the priority and the seconds until the due time of a job. */
  String job(JobId id) {
    return value(
        "SELECT (payload->>'version') || ' ' || priority || ' '"
            + " || round(extract(epoch FROM scheduled_at - clock_timestamp())) FROM @jobs WHERE id = "
            + id);
  }

  void awaitOneBlocked() {
    awaitBlocked(1);
  }

  /** Waits until the given number of sessions wait for a lock. */
  void awaitBlocked(int sessions) {
    awaitTrue(
        "SELECT count(*) = %d FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            .formatted(sessions));
  }

  /** Waits until a session is waiting for a lock that {@code holder} has. */
  void awaitBlockedBy(Connection holder) throws SQLException {
    try (Statement statement = holder.createStatement();
        ResultSet pid = statement.executeQuery("SELECT pg_backend_pid()")) {
      pid.next();
      awaitTrue(
          "SELECT count(*) > 0 FROM pg_stat_activity WHERE %d = ANY (pg_blocking_pids(pid))"
              .formatted(pid.getInt(1)));
    }
  }

  /** Waits until the only value of a query is true. */
  void awaitTrue(String condition) {
    Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> value(condition).equals("t"));
  }

  /** Returns the only value of a query, as text. */
  String value(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(inSchema(sql))) {
      return row.next() ? String.valueOf(row.getString(1)) : "(no row)";
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  void execute(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(inSchema(sql));
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  /** Replaces each {@code @} in a statement with the schema's prefix. */
  String inSchema(String sql) {
    return sql.replace("@", "\"" + database.schema().replace("\"", "\"\"") + "\".");
  }
}
