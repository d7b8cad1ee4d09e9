package dev.skipjack.dedup;

import static dev.skipjack.dedup.Fixture.BY_ACCOUNT;
import static dev.skipjack.dedup.Fixture.OTHER;
import static dev.skipjack.dedup.Fixture.SYNC;
import static dev.skipjack.dedup.Fixture.sync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.WakeUps.Subscription;
import dev.skipjack.dedup.Fixture.Sync;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class UniqueJobsTest {

  private Fixture fixture;
  private QueueDatabase database;
  private UniqueJobs unique;

  @BeforeEach
  void setUp(QueueDatabase database) {
    this.database = database;
    fixture = new Fixture(database);
    unique = fixture.unique;
  }

  @Test
  void aSecondJobOfTheKeyIsNotCreatedAndTheFirstIsReturned() {
    EnqueueResult first = unique.enqueue(SYNC, sync("a"), BY_ACCOUNT);

    assertThat(first).isInstanceOf(Enqueued.class);
    assertThat(unique.enqueue(SYNC, sync("a"), BY_ACCOUNT))
        .isEqualTo(new AlreadyQueued(first.jobId(), HolderStatus.PENDING));
    assertThat(unique.enqueue(SYNC, sync("b"), BY_ACCOUNT)).isInstanceOf(Enqueued.class);
  }

  @Test
  void interceptorsAlsoInterceptUniqueJobs() throws Exception {
    List<Integer> calls = new ArrayList<>();
    UniqueJobs intercepted =
        UniqueJobs.on(
            JobQueue.builder(database.dataSource())
                .schema(database.schema())
                .interceptor(
                    (jobs, next) -> {
                      calls.add(jobs.size());
                      return next.enqueue(
                          jobs.stream().map(job -> job.tagged(List.of("seen"))).toList());
                    })
                .build());

    intercepted.enqueueAll(SYNC, List.of(sync("a"), sync("b")), BY_ACCOUNT);
    try (Connection transaction = database.connection()) {
      transaction.setAutoCommit(false);
      intercepted.in(transaction).enqueue(SYNC, sync("c"), BY_ACCOUNT);
      intercepted
          .in(DSL.using(transaction, SQLDialect.POSTGRES))
          .enqueue(SYNC, sync("c"), BY_ACCOUNT);
      transaction.commit();
    }

    assertThat(calls).containsExactly(2, 1, 1);
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE tags = '{seen}'")).isEqualTo("3");
  }

  @Test
  void aDataSourceThatIsBoundToATransactionIsRefused() throws Exception {
    try (Connection caller = database.connection();
        Statement statement = caller.createStatement()) {
      caller.setAutoCommit(false);
      statement.execute("SELECT 1");
      DataSource bound =
          (DataSource)
              Proxy.newProxyInstance(
                  DataSource.class.getClassLoader(),
                  new Class<?>[] {DataSource.class},
                  (proxy, method, arguments) -> open(caller));
      UniqueJobs jobs = UniqueJobs.on(JobQueue.builder(bound).schema(database.schema()).build());

      assertThatThrownBy(() -> jobs.enqueue(SYNC, sync("a"), BY_ACCOUNT))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("queue.in(connection)");
      assertThatThrownBy(() -> jobs.enqueueAll(SYNC, List.of(sync("a"), sync("b")), BY_ACCOUNT))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> jobs.find(SYNC, sync("a"), BY_ACCOUNT))
          .isInstanceOf(IllegalStateException.class);
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
  }

  /** Returns the caller's connection, wrapped so that {@code close} has no effect. */
  private static Object open(Connection caller) {
    return Proxy.newProxyInstance(
        Connection.class.getClassLoader(),
        new Class<?>[] {Connection.class},
        (proxy, method, arguments) ->
            method.getName().equals("close") ? null : method.invoke(caller, arguments));
  }

  @Test
  void aJobCarriesItsTrace() {
    String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    unique.enqueue(SYNC, sync("a"), BY_ACCOUNT, job -> job.traceparent(trace));

    assertThat(fixture.value("SELECT headers ->> 'traceparent' FROM @jobs")).isEqualTo(trace);
  }

  @Test
  void keysOfDifferentKindsDoNotConflict() {
    unique.enqueue(SYNC, sync("a"), BY_ACCOUNT);

    assertThat(unique.enqueue(OTHER, sync("a"), BY_ACCOUNT)).isInstanceOf(Enqueued.class);
  }

  @Test
  void keysWithinAQueueConflictAcrossKindsAndGlobalKeysAcrossQueues() {
    JobId first = unique.enqueue(SYNC, sync("a"), BY_ACCOUNT.withinQueue()).jobId();
    JobId global = unique.enqueue(SYNC, sync("a"), BY_ACCOUNT.global()).jobId();

    assertThat(unique.enqueue(OTHER, sync("a"), BY_ACCOUNT.withinQueue()))
        .isEqualTo(new AlreadyQueued(first, HolderStatus.PENDING));
    assertThat(
            unique.enqueue(
                SYNC, sync("a"), BY_ACCOUNT.withinQueue(), job -> job.onQueue("elsewhere")))
        .isInstanceOf(Enqueued.class);
    assertThat(
            unique.enqueue(OTHER, sync("a"), BY_ACCOUNT.global(), job -> job.onQueue("elsewhere")))
        .isEqualTo(new AlreadyQueued(global, HolderStatus.PENDING));
  }

  @Test
  void aDuplicateLeavesTheCallersTransactionUsable() throws Exception {
    unique.enqueue(SYNC, sync("a"), BY_ACCOUNT);
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      assertThat(unique.in(connection).enqueue(SYNC, sync("a"), BY_ACCOUNT))
          .isInstanceOf(AlreadyQueued.class);
      assertThat(
              unique
                  .in(DSL.using(connection, SQLDialect.POSTGRES))
                  .enqueue(SYNC, sync("b"), BY_ACCOUNT))
          .isInstanceOf(Enqueued.class);
      connection.commit();
    }
    assertThat(unique.enqueue(SYNC, sync("b"), BY_ACCOUNT)).isInstanceOf(AlreadyQueued.class);
  }

  @Test
  void concurrentCallersAllGetTheIdOfTheSameJob() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      for (int round = 0; round < 50; round++) {
        Sync payload = sync("round-" + round);
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

  @Test
  void aConnectionWithoutATransactionIsRefused() throws Exception {
    try (Connection connection = database.connection()) {
      assertThatThrownBy(() -> unique.in(connection).enqueue(SYNC, sync("a"), BY_ACCOUNT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("auto-commit");
    }
  }

  /**
   * Many duplicates must not use up the sequence, and an uncommitted completion must not block
   * producers.
   */
  @Test
  void aDuplicateDrawsNoIdAndNeverWaits() throws Exception {
    JobId first = unique.enqueue(SYNC, sync("a"), BY_ACCOUNT).jobId();
    String drawn = fixture.value("SELECT last_value FROM @jobs_id_seq");
    Execution attempt = fixture.claim();
    try (Connection handler = database.connection();
        Connection one = database.connection();
        Connection other = database.connection()) {
      handler.setAutoCommit(false);
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      for (Connection producer : List.of(one, other)) {
        try (Statement statement = producer.createStatement()) {
          statement.execute("SET LOCAL lock_timeout = '5s'");
        }
      }
      fixture.store.completeIn(handler, attempt);
      assertThat(unique.in(one).enqueue(SYNC, sync("a"), BY_ACCOUNT))
          .isEqualTo(unique.in(other).enqueue(SYNC, sync("a"), BY_ACCOUNT))
          .isEqualTo(new AlreadyQueued(first, HolderStatus.RUNNING));
      one.rollback();
      other.rollback();
      handler.rollback();
      handler.setAutoCommit(true);
      one.setAutoCommit(true);
      other.setAutoCommit(true);
    }
    assertThat(fixture.value("SELECT last_value FROM @jobs_id_seq")).isEqualTo(drawn);
  }

  /**
   * The caller's transaction has its own planner settings, so a plan for a small table must not be
   * used after the table has grown.
   */
  @Test
  void aCachedPlanFindsTheHolderThroughTheIndexEvenAfterABurst() throws Exception {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < 12; i++) {
        unique.in(connection).enqueue(SYNC, sync("a"), BY_ACCOUNT);
        connection.commit();
      }
      connection.setAutoCommit(true);
      String jobs = '"' + database.schema() + "\".jobs";
      statement.execute(
          "INSERT INTO "
              + jobs
              + " (kind, payload, unique_key) SELECT 'k', '{}', n FROM generate_series(1, 100000) n");
      long before = sequentialScans(statement);

      connection.setAutoCommit(false);
      unique.in(connection).enqueue(SYNC, sync("a"), BY_ACCOUNT);
      connection.setAutoCommit(true); // commits

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
    JobId first = unique.enqueue(SYNC, sync("a"), byLongKey).jobId();

    assertThat(unique.enqueue(SYNC, sync("b"), byLongKey)).isInstanceOf(Enqueued.class);
    assertThat(unique.enqueue(SYNC, sync("a"), byLongKey))
        .isEqualTo(new AlreadyQueued(first, HolderStatus.PENDING));
  }

  @Test
  void aJobCannotHaveBothAUniqueKeyAndAnIdempotencyKey() {
    assertThatThrownBy(
            () ->
                unique.enqueue(SYNC, sync("a"), BY_ACCOUNT, job -> job.idempotencyKey("request-1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'sync' has a unique key and an idempotency key");
  }

  /** A payload may exceed the maximum length of a key if the queue's payload limit is increased. */
  @Test
  void everyPayloadThatTheQueueAcceptsHasAKey() {
    UniqueJobs roomy =
        UniqueJobs.on(
            JobQueue.builder(database.dataSource())
                .schema(database.schema())
                .payloadLimit(4 << 20)
                .build());
    String text = "x".repeat(1_000_000);
    Unique<Sync> byPayload = Unique.byPayload();

    EnqueueResult first = roomy.enqueue(SYNC, sync(text), byPayload);

    assertThat(roomy.enqueue(SYNC, sync(text), byPayload))
        .isEqualTo(new AlreadyQueued(first.jobId(), HolderStatus.PENDING));
    assertThat(roomy.enqueue(SYNC, sync(text + "y"), byPayload)).isInstanceOf(Enqueued.class);
  }

  /** SQL can compute every key that Java computes from a payload. */
  @Test
  void aKeyComputedInSqlIsTheSame() {
    String longAccount = "a\u00fc\"\\".repeat(100);
    for (String account : List.of("a", "\u00fc \"\\\n", longAccount)) {
      Map<Unique<Sync>, String> sqlOf =
          Map.of(
              BY_ACCOUNT,
              "payload->>'account'",
              Unique.<Sync>byPayload(),
              "payload::text",
              Unique.byFields(Sync::version, Sync::account),
              "jsonb_build_array(payload->'version', payload->'account')::text");
      sqlOf.forEach(
          (way, sql) -> {
            JobId first = unique.enqueue(SYNC, sync(account), way).jobId();

            assertThat(
                    fixture.value(
                        "SELECT unique_key = @stored_key('kind/' || kind, %s) FROM @jobs WHERE id = %s"
                            .formatted(sql, first)))
                .isEqualTo("t");
            assertThat(
                    fixture.value(
                        "SELECT @enqueue(kind, payload::json, unique_key => %s) FROM @jobs WHERE id = %s"
                            .formatted(sql, first)))
                .isEqualTo(first.toString());
          });
    }
  }

  @Test
  void keysOfEveryScopeCanBeComputedInSql() {
    Map<Unique<Sync>, String> scopes =
        Map.of(
            BY_ACCOUNT,
            "kind/sync",
            BY_ACCOUNT.withinQueue(),
            "queue/default",
            BY_ACCOUNT.global(),
            "global");
    scopes.forEach(
        (way, scope) -> {
          JobId first = unique.enqueue(SYNC, sync("a"), way).jobId();
          assertThat(
                  fixture.value(
                      "SELECT unique_key = @stored_key('%s', 'a') FROM @jobs WHERE id = %s"
                          .formatted(scope, first)))
              .isEqualTo("t");
        });
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("3");
  }

  @Test
  void aNewJobWakesWorkersAndADuplicateDoesNot() throws Exception {
    try (Subscription wakeUps = fixture.queue.wakeUps().orElseThrow().subscribe();
        Connection connection = database.connection()) {
      unique.enqueue(SYNC, sync("a"), BY_ACCOUNT);
      assertThat(wakeUps.await(Duration.ofSeconds(10))).hasSize(1);

      unique.enqueue(SYNC, sync("a"), BY_ACCOUNT);
      connection.setAutoCommit(false);
      unique.in(connection).enqueue(SYNC, sync("b"), BY_ACCOUNT, job -> job.priority(9));
      connection.commit();
      assertThat(wakeUps.await(Duration.ofSeconds(10)))
          .extracting(wakeUp -> wakeUp.lane().priority())
          .containsExactly(9);
    }
  }

  @Test
  void aJobThatIsReplacedToBeDueNowWakesWorkers() throws Exception {
    try (Subscription wakeUps = fixture.queue.wakeUps().orElseThrow().subscribe()) {
      unique.enqueue(SYNC, sync("a"), BY_ACCOUNT, job -> job.delay(Duration.ofDays(1)));
      unique.enqueue(
          SYNC,
          sync("a"),
          BY_ACCOUNT.debounce(Duration.ofHours(1), Duration.ofDays(1)),
          job -> job.priority(1));
      unique.enqueue(SYNC, sync("a"), BY_ACCOUNT.replace(), job -> job.priority(2));

      assertThat(wakeUps.await(Duration.ofSeconds(10)))
          .extracting(wakeUp -> wakeUp.lane().priority())
          .containsExactly(2);
    }
  }
}
