package dev.skipjack.operations.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Tests how many index entries each operation reads from 200,000 live and 50,000 archived jobs.
 * Each runs with statistics, without statistics, and with plans that were cached while the tables
 * were empty.
 */
@QueueTest
class ReadPlanTest {

  /**
   * The driver prepares a statement after 5 runs; the server is set to use a generic plan
   * immediately.
   */
  private static final int UNTIL_PREPARED = 6;

  private static final String GENERIC = "SET plan_cache_mode = force_generic_plan";

  private static final int WINDOW = 10_001;

  /** The maximum number of index probes for groups, page rows and the ends of ranges. */
  private static final int PROBES = 700;

  private final Map<String, Operation> operations = new LinkedHashMap<>();

  @Test
  void noOperationScansATableOrReadsMoreThanItsBound(QueueDatabase database) throws SQLException {
    Fixture fixture = new Fixture(database);
    try (HikariDataSource one = database.newDataSource(1)) {
      JobReader reader = JobQueue.builder(one).schema(database.schema()).build().reader();
      execute(one, GENERIC);
      for (int i = 0; i < UNTIL_PREPARED; i++) {
        runEach(reader);
      }
      fill(fixture);

      assertBounds("cached when empty", fixture, one, reader);
    }
    try (HikariDataSource fresh = database.newDataSource(1)) {
      JobReader reader = JobQueue.builder(fresh).schema(database.schema()).build().reader();
      assertBounds("without statistics", fixture, fresh, reader);
      fixture.execute("ANALYZE @jobs; ANALYZE @jobs_archive; ANALYZE @job_executions");
      assertBounds("with statistics", fixture, fresh, reader);
      execute(fresh, GENERIC);
      assertBounds("generic, with statistics", fixture, fresh, reader);
    }
  }

  /**
   * Creates five queues of 30,000 pending jobs each, 40,000 dead jobs of two kinds, 5,000 running
   * and 5,000 waiting jobs.
   */
  private static void fill(Fixture fixture) {
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, priority, group_key, tags) SELECT 'q' || n % 5, 'k' || n % 7, '{}', n % 3, CASE WHEN n % 2 = 0 THEN 'g' || n % 3000 END,"
            + " CASE WHEN n % 5000 = 0 THEN '{rare}'::text[] END FROM generate_series(1, 150000) n");
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, status, died_at, started_at, last_error) SELECT 'q1', 'k' || n % 2, '{}', 'dead', now(), now(), 'e' || n % 9"
            + " FROM generate_series(1, 40000) n");
    fixture.execute(
        "INSERT INTO @job_limits (name, max_running, max_running_per_group) VALUES ('limit', 5000, 2);"
            + " INSERT INTO @job_queues (queue, fair, limit_name) VALUES ('q0', true, NULL), ('q2', true, 'limit');"
            + " INSERT INTO @job_groups (queue, group_key, paused_at) SELECT 'q0', 'g' || n, now() FROM generate_series(1, 100) n");
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, status, current_execution_id, lease_expires_at, started_at, limit_name, group_key)"
            + " SELECT 'q2', 'k', '{}', 'running', n, now(), now(), 'limit', 'g' || n % 2000 FROM generate_series(1, 5000) n");
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, status, ordering_key) SELECT 'q3', 'k', '{}', 'waiting', 'key' || n % 10"
            + " FROM generate_series(1, 5000) n");
    fixture.execute(
        "INSERT INTO @jobs_archive (id, finished_at, status, queue, kind, payload, payload_version, priority, scheduled_at, created_at, attempts, uncounted_attempts, max_attempts)"
            + " SELECT 1000000 + n, now() + n * interval '4 s', 'completed', 'q1', 'k', '{}', 1, 0, now(), now(), 1, 0, 3 FROM generate_series(1, 50000) n");
    fixture.execute(
        "INSERT INTO @job_executions (id, job_id, started_at, attempt, queue, kind)"
            + " SELECT -n, n, now(), 1, 'q1', 'k' FROM generate_series(1, 20000) n");
    fixture.execute(
        "INSERT INTO @job_stacks SELECT n, (SELECT min(id) FROM @jobs WHERE status = 'running') + n - 1, now(), 'at a.B.c(B.java:1)', NULL"
            + " FROM generate_series(1, 5000) n");
    fixture.execute(
        "INSERT INTO @job_minutes SELECT date_trunc('minute', now()) - n / 20 * interval '1 minute', 'q' || n % 5, 'k' || n % 20, 'w', 1, 0, 0, 0, 0, 0, '{1}', '{1}'"
            + " FROM generate_series(0, 57599) n");
    fixture.execute(
        "INSERT INTO @job_depths SELECT date_trunc('minute', now()) - n / 5 * interval '1 minute', 'q' || n % 5, 1, 1, 1, 1"
            + " FROM generate_series(0, 14399) n");
  }

  private void runEach(JobReader reader) {
    define(reader);
    operations.values().forEach(operation -> operation.run().run());
  }

  /** Defines the operations and how many index entries each may read. */
  private void define(JobReader reader) {
    operations.clear();
    bound("find", 10 + PROBES, () -> reader.find(new JobId(150_000)));
    bound("find without payload", 10 + PROBES, () -> reader.findWithoutPayload(new JobId(150_000)));
    bound("live", 500 + PROBES, () -> reader.list(JobQuery.live().limit(500)));
    bound("live of a rare tag", WINDOW + PROBES, () -> reader.list(JobQuery.live().tag("rare")));
    bound(
        "two pages of a queue",
        2 * WINDOW + PROBES,
        () -> secondPage(reader, JobQuery.live().queue("q4")));
    bound("running", WINDOW + PROBES, () -> reader.list(JobQuery.live().status(JobStatus.RUNNING)));
    bound(
        "longest running",
        WINDOW + PROBES,
        () -> reader.longestRunning(Duration.ZERO, JobQuery.LARGEST));
    bound("waiting", WINDOW + PROBES, () -> reader.list(JobQuery.live().status(JobStatus.WAITING)));
    bound("dead", 200 + PROBES, () -> secondPage(reader, JobQuery.live().status(JobStatus.DEAD)));
    bound(
        "dead of a tag",
        WINDOW + PROBES,
        () -> reader.list(JobQuery.live().status(JobStatus.DEAD).tag("rare")));
    bound(
        "dead of an error",
        WINDOW + PROBES,
        () ->
            reader.list(JobQuery.live().status(JobStatus.DEAD).errorClass("None").errorGroup("*")));
    bound("due", 500 + PROBES, () -> secondPage(reader, JobQuery.pending("q1")));
    bound("due of a kind", WINDOW + PROBES, () -> reader.list(JobQuery.pending("q1").kind("none")));
    bound("archived", 500 + PROBES, () -> secondPage(reader, JobQuery.archived()));
    bound(
        "archived of a kind",
        WINDOW + PROBES,
        () -> reader.list(JobQuery.archived().kind("none").limit(500)));
    // The groups are five queues, two kinds of dead jobs, the running jobs and the waiting jobs.
    bound("counts", 7 * WINDOW + 10_000 + PROBES, reader::counts);
    // This reads the running jobs of all queues, and the due jobs of lanes with a higher priority
    // and of the same lane.
    bound("why pending", 3 * WINDOW + PROBES, () -> reader.why(new JobId(149_999)));
    bound("why dead", PROBES, () -> reader.why(new JobId(150_001)));
    bound("why running", PROBES, () -> reader.why(new JobId(190_001)));
    bound("why waiting", WINDOW + PROBES, () -> reader.why(new JobId(200_000)));
    bound("why archived", PROBES, () -> reader.why(new JobId(1_000_001)));
    bound("oldest pending", 20, reader::oldestPending);
    bound("dead letters", 2 * WINDOW + PROBES, reader::deadLetters);
    bound("queues", 10, reader::queues);
    MinutesQuery hour = MinutesQuery.last(Duration.ofHours(1));
    bound("minutes", 61 * 20 + PROBES, () -> reader.minutes(hour));
    bound("minutes of a queue", 61 * 20 + PROBES, () -> reader.minutes(hour.queues(Set.of("q1"))));
    bound("activity", 61 * 20 + PROBES, () -> reader.activity(hour));
    bound("depths", 61 * 5 + PROBES, () -> reader.depths(hour));
    bound("limits", WINDOW + PROBES, reader::limits);
    bound("groups", 200, () -> reader.groups("q0"));
    // This reads the running jobs of the limit twice, up to 1,000 due jobs of each of the three
    // lanes of both queues, and probes each lane for each of 1,000 groups.
    bound("held", 2 * WINDOW + 6_000 + 3_000 * 26 + PROBES, reader::held);
  }

  private void bound(String name, long entries, Runnable run) {
    operations.put(name, new Operation(entries, run));
  }

  private static void secondPage(JobReader reader, JobQuery query) {
    JobPage first = reader.list(query);
    first.next().ifPresent(next -> reader.list(query.after(next)));
  }

  private void assertBounds(
      String when, Fixture fixture, HikariDataSource dataSource, JobReader reader)
      throws SQLException {
    define(reader);
    for (Map.Entry<String, Operation> operation : operations.entrySet()) {
      flushStatistics(dataSource);
      long scans = sequentialScans(fixture);
      long before = indexEntries(fixture);

      operation.getValue().run().run();

      flushStatistics(dataSource);
      assertThat(sequentialScans(fixture))
          .as("sequential scans of %s, %s", operation.getKey(), when)
          .isEqualTo(scans);
      assertThat(indexEntries(fixture) - before)
          .as("index entries read by %s, %s", operation.getKey(), when)
          .isLessThanOrEqualTo(operation.getValue().entries());
    }
  }

  private static long sequentialScans(Fixture fixture) {
    return sum(fixture, "seq_scan", "pg_stat_user_tables");
  }

  private static long indexEntries(Fixture fixture) {
    return sum(fixture, "idx_tup_read", "pg_stat_user_indexes");
  }

  /**
   * Returns the sum of a counter. Excludes the tables of workers, limits, groups and settings of
   * queues, which have few rows and are read as a whole.
   */
  private static long sum(Fixture fixture, String counter, String view) {
    return Long.parseLong(
        fixture.value(
            "SELECT coalesce(sum(%s), 0)::bigint FROM %s WHERE schemaname = '%s' AND relname ~ '^jobs?_?' AND relname NOT IN ('job_workers', 'job_limits', 'job_groups', 'job_queues')"
                .formatted(counter, view, fixture.database.schema())));
  }

  /** Makes the session report its counters, which it otherwise does at most once a second. */
  private static void flushStatistics(HikariDataSource dataSource) throws SQLException {
    execute(dataSource, "SELECT pg_stat_force_next_flush()");
    execute(dataSource, "SELECT 1");
  }

  private static void execute(HikariDataSource dataSource, String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private record Operation(long entries, Runnable run) {}
}
