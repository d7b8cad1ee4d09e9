package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.LocalWorker;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests enqueues for which a worker of the same process has a free slot. */
@QueueTest
class DirectStartTest {

  /** All columns that a claim sets, except ids and times. */
  private static final String STATE =
      "SELECT concat_ws(' ', status, attempts, uncounted_attempts, split_part(locked_by, '/', 1),"
          + " started_at >= scheduled_at, lease_expires_at - started_at > interval '29.9 seconds',"
          + " payload, (SELECT concat_ws(' ', e.status, e.attempt, e.queue, e.kind,"
          + " split_part(e.worker_id, '/', 1)) FROM @job_executions e WHERE e.id ="
          + " current_execution_id AND e.job_id = jobs.id AND e.started_at = jobs.started_at))"
          + " FROM @jobs AS jobs";

  private Fixture fixture;
  private Slots worker;
  private JobQueue queue;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    worker = new Slots();
    queue = with(database.dataSource());
  }

  private JobQueue with(DataSource dataSource) {
    JobQueue created =
        JobQueue.builder(dataSource)
            .schema(fixture.database.schema())
            .sameForAllThreads(true)
            .build();
    created.localWorkers().orElseThrow().add(worker);
    return created;
  }

  /** A worker with one slot. */
  static final class Slots implements LocalWorker {

    final WorkerId id = WorkerId.boot("test");
    final List<ClaimedJob> started = new CopyOnWriteArrayList<>();
    final List<Boolean> freed = new CopyOnWriteArrayList<>();
    final List<WakeUp> expected = new CopyOnWriteArrayList<>();
    boolean free = true;
    boolean kept = true;
    int spare;
    int lost;

    @Override
    public boolean hasSlot(NewJob job) {
      return free;
    }

    @Override
    public @Nullable TakenSlot take(NewJob job) {
      return free ? new OneSlot() : null;
    }

    @Override
    public @Nullable TakenSlot takeInTransaction(NewJob job) {
      return take(job);
    }

    @Override
    public void expect(WakeUp wakeUp) {
      expected.add(wakeUp);
    }

    private final class OneSlot implements TakenSlot {

      private final AtomicBoolean used = new AtomicBoolean();

      @Override
      public WorkerId worker() {
        return id;
      }

      @Override
      public Duration lease() {
        return Fixture.LEASE;
      }

      @Override
      public int spare() {
        return spare;
      }

      @Override
      public int spareNow() {
        return spare;
      }

      @Override
      public boolean isKept() {
        return kept;
      }

      @Override
      public void start(ClaimedJob job) {
        if (used.compareAndSet(false, true)) {
          started.add(job);
        }
      }

      @Override
      public void free(boolean jobsAhead) {
        if (used.compareAndSet(false, true)) {
          freed.add(jobsAhead);
        }
      }

      @Override
      public void lost() {
        if (used.compareAndSet(false, true)) {
          lost++;
        }
      }
    }
  }

  @Test
  void theJobIsInTheSameStateAsAfterAClaim() {
    fixture.enqueue(1);
    ClaimedJob claimed = fixture.claim(1).get(0);
    String afterAClaim = fixture.value(STATE);
    fixture.execute("DELETE FROM @jobs");

    JobId id = queue.enqueue(WORK, new Fixture.Work(1));

    assertThat(fixture.value(STATE)).isEqualTo(afterAClaim).startsWith("running 1 0 test t t");
    ClaimedJob job = worker.started.get(0);
    assertThat(job.execution().jobId()).isEqualTo(id);
    assertThat(fixture.owns(job.execution())).isTrue();
    assertThat(job.payload()).isEqualTo(claimed.payload());
    assertThat(List.of(job.queue(), job.kind(), job.priority(), job.attempt(), job.maxAttempts()))
        .isEqualTo(
            List.of(
                claimed.queue(),
                claimed.kind(),
                claimed.priority(),
                claimed.attempt(),
                claimed.maxAttempts()));
    assertThat(worker.freed).isEmpty();
    assertThat(worker.expected).isEmpty();
    assertThat(fixture.store.complete(List.of(job.execution()))).containsExactly(Verdict.DONE);
    assertThat(
            fixture.value(
                "SELECT concat_ws(' ', count(*), min(status)) FROM @job_executions WHERE job_id = "
                    + id))
        .isEqualTo("1 succeeded");
  }

  @Test
  void theHandlerGetsPayloadAndHeadersAsTheDatabaseReturnsThem() {
    queue.enqueue(
        JobType.of("map", Object.class),
        Collections.singletonMap("long name", 1e2),
        job -> job.header("tenant", "t1").priority(7).maxAttempts(9));

    ClaimedJob job = worker.started.get(0);
    assertThat(job.payload()).isEqualTo("{\"long name\": 100.0}");
    assertThat(job.headers()).containsEntry("tenant", "t1");
    assertThat(job.priority()).isEqualTo(7);
    assertThat(job.maxAttempts()).isEqualTo(9);
  }

  static Stream<Arguments> jobsThatComeFirst() {
    String insert = "INSERT INTO @jobs (kind, payload, priority, scheduled_at) VALUES ";
    return Stream.of(
        Arguments.of("a due job of the lane", insert + "('work', '{}', 0, now())"),
        Arguments.of("a due job of another kind", insert + "('other', '{}', 0, now())"),
        Arguments.of("a due job of higher priority", insert + "('work', '{}', 1, now())"),
        Arguments.of(
            "a future job of higher priority",
            insert + "('work', '{}', 1, now() + interval '1 h')"),
        Arguments.of(
            "a pause", "INSERT INTO @job_queues (queue, paused_at) VALUES ('default', now())"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("jobsThatComeFirst")
  void jobIsPendingIfOtherJobsComeFirstOrTheQueueIsPaused(String what, String sql) {
    fixture.execute(sql);

    JobId id = queue.enqueue(WORK, new Fixture.Work(1));

    assertThat(worker.started).as(what).isEmpty();
    assertThat(worker.freed).containsExactly(true);
    assertThat(worker.expected).hasSize(1);
    assertThat(
            fixture.value(
                "SELECT concat_ws(' ', status, attempts, current_execution_id, locked_by,"
                    + " started_at, lease_expires_at) FROM @jobs WHERE id = "
                    + id))
        .isEqualTo("pending 0");
    assertThat(fixture.value("SELECT count(*) FROM @job_executions")).isEqualTo("0");
  }

  @Test
  void jobStartsDirectlyIfEarlierJobsHaveTheirOwnSlots() {
    fixture.enqueue(2);
    fixture.queue.enqueue(WORK, new Fixture.Work(3), job -> job.priority(4));

    worker.spare = 2;
    queue.enqueue(WORK, new Fixture.Work(4));
    assertThat(worker.started).isEmpty();

    worker.spare = 4; // the last job is pending, too
    queue.enqueue(WORK, new Fixture.Work(5));
    assertThat(worker.started).hasSize(1);
  }

  static Stream<Arguments> jobsThatDoNotMatter() {
    String insert = "INSERT INTO @jobs (queue, kind, payload, priority, scheduled_at) VALUES ";
    return Stream.of(
        Arguments.of("lower priority", insert + "('default', 'work', '{}', -1, now())"),
        Arguments.of("other queue", insert + "('other', 'work', '{}', 9, now())"),
        Arguments.of("future", insert + "('default', 'work', '{}', 0, now() + interval '1 h')"),
        Arguments.of(
            "ended pause",
            "INSERT INTO @job_queues (queue, paused_at, paused_until) VALUES ('default', now() -"
                + " interval '2 h', now() - interval '1 h')"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("jobsThatDoNotMatter")
  void jobsThatAClaimWouldNotReturnFirstDoNotMatter(String what, String sql) {
    fixture.execute(sql);

    queue.enqueue(WORK, new Fixture.Work(1));

    assertThat(worker.started).as(what).hasSize(1);
  }

  static Stream<Arguments> jobsThatTakeNoSlot() {
    return Stream.of(
        options("an idempotency key", job -> job.idempotencyKey("k")),
        options("an ordering key", job -> job.orderingKey("k")),
        options("a delay", job -> job.delay(Duration.ofMinutes(1))),
        options("a due time", job -> job.at(Instant.now().plusSeconds(60))),
        options("a due time that has passed", job -> job.at(Instant.now().minusSeconds(60))),
        options("no wake-up", EnqueueOptions::withoutWakeUp));
  }

  private static Arguments options(String what, UnaryOperator<EnqueueOptions> options) {
    return Arguments.of(what, options);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("jobsThatTakeNoSlot")
  void jobsWithAKeyAndJobsThatCanWaitTakeNoSlot(
      String what, UnaryOperator<EnqueueOptions> options) {
    queue.enqueue(WORK, new Fixture.Work(1), options);

    assertThat(worker.started).as(what).isEmpty();
    assertThat(worker.freed).isEmpty();
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE status <> 'running'"))
        .isEqualTo("1");
  }

  @Test
  void severalJobsAndJobsOfCallersTransactionsTakeNoSlot() throws SQLException {
    queue.enqueueAll(WORK, List.of(new Fixture.Work(1), new Fixture.Work(2)));
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      queue.in(connection).enqueue(WORK, new Fixture.Work(3));
      connection.commit();
    }

    assertThat(worker.started).isEmpty();
    assertThat(worker.freed).isEmpty();
    assertThat(worker.expected).hasSize(1); // for the two jobs; the other wake-up is a NOTIFY
  }

  @Test
  void jobIsEnqueuedAndTheWorkerIsWokenIfThereIsNoFreeSlot() {
    worker.free = false;

    queue.enqueue(WORK, new Fixture.Work(1));

    assertThat(worker.expected).hasSize(1);
    assertThat(fixture.claim(2)).hasSize(1);
  }

  @Test
  void jobWaitsForAClaimThatCreatesTheMissingAuditPartition() {
    fixture.execute(
        "DO $$ DECLARE part record; BEGIN FOR part IN SELECT inhrelid::regclass AS name FROM"
            + " pg_inherits WHERE inhparent = '@job_executions'::regclass LOOP EXECUTE 'DROP TABLE '"
            + " || part.name; END LOOP; END $$");

    queue.enqueue(WORK, new Fixture.Work(1));

    assertThat(worker.freed).containsExactly(false);
    assertThat(fixture.claim(2)).hasSize(1);
  }

  @Test
  void aLostCommitIsReportedAndTheJobIsRescuedLater() {
    FaultyDataSource faulty = new FaultyDataSource(fixture.database.dataSource());
    JobQueue unlucky = with(faulty);
    unlucky.enqueue(WORK, new Fixture.Work(1));
    faulty.cutAfterCommit(1);

    assertThatThrownBy(() -> unlucky.enqueue(WORK, new Fixture.Work(2)))
        .isInstanceOfSatisfying(
            StoreException.class, failure -> assertThat(failure.isOutcomeUnknown()).isTrue());

    assertThat(worker.started).hasSize(1);
    assertThat(worker.freed).isEmpty();
    assertThat(worker.lost).isEqualTo(1);
    fixture.execute("UPDATE @jobs SET lease_expires_at = now() - interval '1 s'");
    assertThat(fixture.store.rescue(Duration.ZERO, 10).size()).isEqualTo(2);
  }

  @Test
  void rowThatTheDatabaseRejectsFailsLikeAPlainEnqueue() {
    fixture.execute("ALTER TABLE @jobs ADD CONSTRAINT odd CHECK (payload ->> 'number' <> '13')");

    assertThatThrownBy(() -> queue.enqueue(WORK, new Fixture.Work(13)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("23514");
    fixture.execute("ALTER TABLE @jobs DROP CONSTRAINT odd");
    queue.enqueue(WORK, new Fixture.Work(14));

    assertThat(worker.freed).containsExactly(false);
    assertThat(worker.started).hasSize(1);
  }

  @Test
  void inSerializableSessionsEachJobIsEnqueuedOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(fixture.database.jdbcUrl());
      pool.setConnectionInitSql("SET default_transaction_isolation = 'serializable'");
      JobQueue strict = with(pool);
      List<Callable<JobId>> enqueues =
          Collections.nCopies(80, () -> strict.enqueue(WORK, new Fixture.Work(1)));
      for (Future<JobId> enqueue : threads.invokeAll(enqueues)) {
        enqueue.get();
      }
    } finally {
      threads.shutdown();
    }

    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("80");
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'running'"))
        .isEqualTo(String.valueOf(worker.started.size()));
  }

  @Test
  void aJobWithASingleAttemptStarts() {
    queue.enqueue(WORK, new Fixture.Work(1), job -> job.maxAttempts(1));

    assertThat(worker.started).hasSize(1);
  }

  @Test
  void noJobStartsDirectlyIfTheDataSourceMayChooseByThread() {
    DataSource routing = new FaultyDataSource(fixture.database.dataSource());

    assertThat(JobQueue.builder(routing).schema(fixture.database.schema()).build().localWorkers())
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void directStartReadsThePendingIndexWithoutSorting(String mode) throws SQLException {
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, priority, scheduled_at) SELECT 'q' || (n % 4),"
            + " 'work', '{}', n % 10, now() + (n % 3 - 1) * interval '1 h' FROM generate_series(1,"
            + " 200000) n");
    fixture.execute("ANALYZE @jobs");
    try (Connection connection = fixture.database.connection()) {
      StatementText text =
          DirectStartStatement.of(StatementDialect.forSchema(fixture.database.schema())).text();
      Map<String, String> literals =
          Map.of(
              "queue",
              "'q1'",
              "kind",
              "'work'",
              "payload",
              "'{}'",
              "payload_version",
              "1",
              "spare",
              "8");
      String plan =
          Plan.withoutSettings(
              connection,
              text,
              mode,
              text.parameters().stream().map(name -> literals.getOrDefault(name, "NULL")).toList());
      assertThat(plan).contains("jobs_pending_idx").doesNotContain("Seq Scan on jobs", "Sort");
    }
  }
}
