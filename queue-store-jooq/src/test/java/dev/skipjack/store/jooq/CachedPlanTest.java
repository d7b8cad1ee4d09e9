package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobError;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.GiveBack;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * The production trap: a worker starts on an empty queue, every plan is cached as a sequential
 * scan, then 200,000 rows arrive. One connection runs every hot statement often enough for the
 * driver and the server to cache it, before and after; the server's own counters tell whether a
 * table was ever read from end to end.
 */
@QueueTest
class CachedPlanTest {

  /** The driver prepares after 5 runs, the server settles on a generic plan after 5 more. */
  private static final int UNTIL_CACHED = 12;

  @Test
  void noStatementReadsATableFromEndToEndAfterABurst(QueueDatabase database) throws Exception {
    Fixture fixture = new Fixture(database);
    try (HikariDataSource one = database.newDataSource(1)) {
      JobQueue queue = JobQueue.builder(one).schema(database.schema()).build();
      for (int i = 0; i < UNTIL_CACHED; i++) {
        runEach(queue, one);
      }
      fixture.execute(
          "INSERT INTO @jobs (kind, payload) SELECT 'work', '{}' FROM generate_series(1, 200000)");
      fixture.execute(
          "INSERT INTO @job_keys SELECT 'key-' || n, n, now() + interval '1 day' FROM generate_series(1, 100000) n");
      fixture.execute(
          "INSERT INTO @job_executions (id, job_id, started_at, attempt, queue, kind)"
              + " SELECT -n, -n, now(), 1, 'default', 'work' FROM generate_series(1, 100000) n");
      flushStatistics(one);
      long before = sequentialScans(fixture);

      for (int i = 0; i < 3; i++) {
        runEach(queue, one);
      }

      flushStatistics(one);
      assertThat(sequentialScans(fixture)).isEqualTo(before);
    }
  }

  private static void runEach(JobQueue queue, HikariDataSource dataSource) throws SQLException {
    JobStore store = queue.store();
    queue.enqueueAll(Fixture.WORK, Collections.nCopies(5, new Fixture.Work(1)));
    enqueueWithKeys(queue);
    store.dueLanes(List.of("default"));
    List<Execution> claimed =
        store.claim(Fixture.request(5, Fixture.LEASE, new Lane("default", 0))).stream()
            .map(ClaimedJob::execution)
            .toList();
    assertThat(claimed).hasSize(5);
    store.heartbeat(claimed, Fixture.LEASE);
    store.complete(claimed.subList(0, 2));
    store.fail(
        List.of(new Failure(claimed.get(2), JobError.of("no luck"), Duration.ofHours(1), false)));
    store.giveBack(
        List.of(new GiveBack(claimed.get(3), ExecutionStatus.SNOOZED, Duration.ofHours(1))));
    store.rescue(Duration.ZERO, 10);
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      store.completeIn(connection, claimed.get(4));
      enqueueWithKeys(queue.in(connection));
      connection.commit();
    }
  }

  /**
   * One key that is known after the first run, and one that never is; due after everything else.
   */
  private static void enqueueWithKeys(JobEnqueuer enqueuer) {
    enqueuer.enqueueAllOnce(
        Fixture.WORK,
        List.of(new Fixture.Work(1), new Fixture.Work(2)),
        (work, job) ->
            job.idempotencyKey(work.number() == 1 ? "known" : UUID.randomUUID().toString())
                .delay(Duration.ofDays(1)));
  }

  private static long sequentialScans(Fixture fixture) {
    return Long.parseLong(
        fixture.value(
            "SELECT sum(seq_scan) FROM pg_stat_user_tables WHERE schemaname = '"
                + fixture.database.schema()
                + "' AND (relname = 'jobs' OR relname = 'job_keys' OR relname LIKE 'job_executions%' OR relname LIKE 'jobs_archive%')"));
  }

  /** A session reports its counters at most once a second unless told to. */
  private static void flushStatistics(HikariDataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_stat_force_next_flush()");
      statement.execute("SELECT 1");
    }
  }
}
