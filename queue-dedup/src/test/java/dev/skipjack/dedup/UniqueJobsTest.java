package dev.skipjack.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class UniqueJobsTest {

  record Sync(String account) {}

  private static final JobType<Sync> SYNC = JobType.of("sync", Sync.class).maxAttempts(2);
  private static final Unique<Sync> BY_ACCOUNT = Unique.by(Sync::account);

  private QueueDatabase database;
  private JobQueue queue;
  private UniqueJobs unique;

  @BeforeEach
  void setUp(QueueDatabase database) {
    this.database = database;
    queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    unique = UniqueJobs.on(queue);
  }

  @Test
  void aSecondJobOfTheKeyIsNotCreatedAndTheFirstIsNamed() {
    EnqueueResult first = unique.enqueue(SYNC, new Sync("a"), BY_ACCOUNT);

    assertThat(first).isInstanceOf(Enqueued.class);
    assertThat(unique.enqueue(SYNC, new Sync("a"), BY_ACCOUNT))
        .isEqualTo(new AlreadyQueued(first.jobId()));
    assertThat(unique.enqueue(SYNC, new Sync("b"), BY_ACCOUNT)).isInstanceOf(Enqueued.class);
  }

  @Test
  void theKeyIsHeldWhileTheJobRunsOrWaitsForARetryAndFreedByItsEnd() {
    JobId first = unique.enqueue(SYNC, new Sync("a"), BY_ACCOUNT).jobId();
    queue.store().fail(List.of(new Failure(claim(), JobError.of("no luck"), Duration.ZERO, false)));
    assertThat(unique.enqueue(SYNC, new Sync("a"), BY_ACCOUNT)).isEqualTo(new AlreadyQueued(first));
    Execution execution = claim();
    assertThat(unique.enqueue(SYNC, new Sync("a"), BY_ACCOUNT)).isEqualTo(new AlreadyQueued(first));

    queue.store().complete(List.of(execution));

    assertThat(unique.enqueue(SYNC, new Sync("a"), BY_ACCOUNT)).isInstanceOf(Enqueued.class);
  }

  @Test
  void aDeadJobFreesItsKey() {
    unique.enqueue(SYNC, new Sync("a"), BY_ACCOUNT);
    queue.store().fail(List.of(new Failure(claim(), JobError.of("never"), Duration.ZERO, true)));

    assertThat(unique.enqueue(SYNC, new Sync("a"), BY_ACCOUNT)).isInstanceOf(Enqueued.class);
  }

  @Test
  void keysOfDifferentKindsDoNotMeet() {
    unique.enqueue(SYNC, new Sync("a"), BY_ACCOUNT);

    assertThat(unique.enqueue(JobType.of("other", Sync.class), new Sync("a"), BY_ACCOUNT))
        .isInstanceOf(Enqueued.class);
  }

  @Test
  void aDuplicateLeavesTheCallersTransactionUsable() throws Exception {
    unique.enqueue(SYNC, new Sync("a"), BY_ACCOUNT);
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      assertThat(unique.in(connection).enqueue(SYNC, new Sync("a"), BY_ACCOUNT))
          .isInstanceOf(AlreadyQueued.class);
      assertThat(
              unique
                  .in(DSL.using(connection, SQLDialect.POSTGRES))
                  .enqueue(SYNC, new Sync("b"), BY_ACCOUNT))
          .isInstanceOf(Enqueued.class);
      connection.commit();
    }
    assertThat(unique.enqueue(SYNC, new Sync("b"), BY_ACCOUNT)).isInstanceOf(AlreadyQueued.class);
  }

  @Test
  void waitsForARivalAndInsertsWhenItRollsBack() throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection rival = database.connection()) {
      rival.setAutoCommit(false);
      unique.in(rival).enqueue(SYNC, new Sync("a"), BY_ACCOUNT);
      Future<EnqueueResult> waiting =
          thread.submit(() -> unique.enqueue(SYNC, new Sync("a"), BY_ACCOUNT));
      rival.rollback();

      assertThat(waiting.get(10, TimeUnit.SECONDS)).isInstanceOf(Enqueued.class);
    } finally {
      thread.shutdownNow();
    }
  }

  @Test
  void everyCallerOfARaceGetsTheIdOfTheOneJob() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      for (int round = 0; round < 50; round++) {
        Sync payload = new Sync("round-" + round);
        List<Future<EnqueueResult>> callers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          callers.add(threads.submit(() -> unique.enqueue(SYNC, payload, BY_ACCOUNT)));
        }
        List<EnqueueResult> results = new ArrayList<>();
        for (Future<EnqueueResult> caller : callers) {
          results.add(caller.get(10, TimeUnit.SECONDS));
        }
        assertThat(results).filteredOn(Enqueued.class::isInstance).hasSize(1);
        assertThat(results).extracting(EnqueueResult::jobId).containsOnly(results.get(0).jobId());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * The caller's transaction has its own planner settings, so no plan may outlive the table it was
   * made for.
   */
  @Test
  void findsTheHolderThroughTheIndexEvenAfterABurstOnACachedPlan() throws Exception {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < 12; i++) {
        unique.in(connection).enqueue(SYNC, new Sync("a"), BY_ACCOUNT);
      }
      String jobs = '"' + database.schema() + "\".jobs";
      statement.execute(
          "INSERT INTO "
              + jobs
              + " (kind, payload, unique_key) SELECT 'k', '{}', n FROM generate_series(1, 100000) n");
      long before = sequentialScans(statement);

      unique.in(connection).enqueue(SYNC, new Sync("a"), BY_ACCOUNT);

      assertThat(sequentialScans(statement)).isEqualTo(before);
    }
  }

  private static long sequentialScans(Statement statement) throws SQLException {
    statement.execute("SELECT pg_stat_force_next_flush()");
    try (ResultSet row =
        statement.executeQuery("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'jobs'")) {
      row.next();
      return row.getLong(1);
    }
  }

  @Test
  void longKeysAreHashedAndStayDifferent() {
    Unique<Sync> byLongKey = Unique.by(sync -> "k".repeat(500_000) + sync.account());
    JobId first = unique.enqueue(SYNC, new Sync("a"), byLongKey).jobId();

    assertThat(unique.enqueue(SYNC, new Sync("b"), byLongKey)).isInstanceOf(Enqueued.class);
    assertThat(unique.enqueue(SYNC, new Sync("a"), byLongKey)).isEqualTo(new AlreadyQueued(first));
  }

  @Test
  void aJobHasOneKeyOrTheOther() {
    assertThatThrownBy(
            () ->
                unique.enqueue(
                    SYNC, new Sync("a"), BY_ACCOUNT, job -> job.idempotencyKey("request-1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'sync' has a unique key and an idempotency key");
  }

  @Test
  void aKeyGivenInSqlIsTheSame() throws SQLException {
    String longAccount = "a".repeat(300);
    for (String account : List.of("a", longAccount)) {
      JobId first = unique.enqueue(SYNC, new Sync(account), BY_ACCOUNT).jobId();
      try (Connection connection = database.connection();
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "SELECT \"%s\".enqueue('sync', unique_key => '%s')"
                      .formatted(database.schema(), account))) {
        row.next();
        assertThat(row.getLong(1)).isEqualTo(first.value());
      }
    }
  }

  @Test
  void refusesKeysThatPostgresRefuses() {
    for (String key : List.of("", "nul \0", "lone \uD800")) {
      assertThatThrownBy(() -> unique.enqueue(SYNC, new Sync("x"), Unique.by(sync -> key)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("sync");
    }
  }

  private Execution claim() {
    return queue
        .store()
        .claim(
            new ClaimRequest(
                WorkerId.boot("test"),
                List.of(new LaneShare(new Lane("default", 0), 1, null)),
                List.of("sync"),
                1,
                Duration.ofSeconds(30)))
        .get(0)
        .execution();
  }
}
