package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.faults.FaultyDataSource.CommitFate;
import dev.skipjack.faults.FaultyDataSource.Step;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.store.jooq.Fixture.Work;
import dev.skipjack.store.jooq.internal.ordering.JooqOrderedJobs;
import dev.skipjack.store.jooq.internal.ordering.StrictOrdering;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests single enqueues of several threads that share a commit. */
@QueueTest
class SharedCommitsTest {

  private static final int BAD = 13;

  private final QueueDatabase database;
  private final Fixture fixture;
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch writing = new CountDownLatch(1);

  SharedCommitsTest(QueueDatabase database) {
    this.database = database;
    this.fixture = new Fixture(database);
  }

  @BeforeEach
  void refuseThirteen() {
    fixture.execute("DELETE FROM @jobs");
    fixture.execute("ALTER TABLE @jobs DROP CONSTRAINT IF EXISTS lucky");
    fixture.execute("ALTER TABLE @jobs ADD CONSTRAINT lucky CHECK (payload ->> 'number' <> '13')");
  }

  /** Returns enqueues whose first write waits until the test releases it. */
  private EnqueueTransactions enqueues(DataSource dataSource) {
    Lazy<DSLContext> dialect = Lazy.of(() -> StatementDialect.forSchema(database.schema()));
    OwnTransactions transactions = new OwnTransactions(dataSource);
    EnqueueWriter writer = new EnqueueWriter(dialect, new StrictOrdering(dialect));
    SharedWrites shared =
        new SharedWrites(
            jobs -> writer.writeTogether(transactions, jobs),
            job -> {
              writing.countDown();
              await(held);
              return writer.writeAlone(transactions, job).get(0);
            },
            1,
            Duration.ofHours(1),
            Duration.ZERO);
    return new EnqueueTransactions(
        transactions, writer, () -> new JooqOrderedJobs(transactions, dialect), null, null, shared);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  private static NewJob job(int number, UnaryOperator<EnqueueOptions> options) {
    return NewJob.of(
        Fixture.WORK, "{\"number\": %d}".formatted(number), options.apply(EnqueueOptions.none()));
  }

  /**
   * Starts a write that is held, and then enqueues the given jobs, which wait in line in this
   * order.
   */
  private List<Call<EnqueueResult>> start(EnqueueTransactions enqueues, List<NewJob> jobs) {
    List<Call<EnqueueResult>> calls = new ArrayList<>();
    calls.add(Call.start(() -> enqueues.enqueue(List.of(job(0, UnaryOperator.identity()))).get(0)));
    await(writing);
    for (NewJob job : jobs) {
      calls.add(Call.startInLine(() -> enqueues.enqueue(List.of(job)).get(0)));
    }
    return calls;
  }

  private static List<NewJob> jobs(int... numbers) {
    List<NewJob> jobs = new ArrayList<>();
    for (int number : numbers) {
      jobs.add(job(number, UnaryOperator.identity()));
    }
    return jobs;
  }

  private String jobsByTransaction() {
    return fixture.value(
        "SELECT string_agg(numbers, ' | ' ORDER BY first) FROM (SELECT min(id) AS first,"
            + " string_agg(payload ->> 'number', ',' ORDER BY id) AS numbers FROM @jobs GROUP BY"
            + " xmin::text) AS transactions");
  }

  @Test
  void sevenJobsInLineAreCommittedByOneTransaction() throws Exception {
    List<Call<EnqueueResult>> calls =
        start(enqueues(database.dataSource()), jobs(1, 2, 3, 4, 5, 6, 7));
    held.countDown();

    for (int i = 0; i < calls.size(); i++) {
      assertThat(
              fixture.value(
                  "SELECT payload ->> 'number' FROM @jobs WHERE id = "
                      + calls.get(i).result().jobId().value()))
          .isEqualTo(String.valueOf(i));
    }
    assertThat(jobsByTransaction()).isEqualTo("0 | 1,2,3,4,5,6,7");
  }

  @Test
  void jobsOfSeveralQueuesAndOrderingKeysShareATransaction() throws Exception {
    List<Call<EnqueueResult>> calls =
        start(
            enqueues(database.dataSource()),
            List.of(
                job(1, job -> job.onQueue("one").priority(5)),
                job(2, job -> job.onQueue("two").delay(Duration.ofHours(1))),
                job(3, job -> job.orderingKey("three"))));
    held.countDown();

    for (Call<EnqueueResult> call : calls) {
      assertThat(call.result()).isInstanceOf(EnqueueResult.Enqueued.class);
    }
    assertThat(jobsByTransaction()).isEqualTo("0 | 1,2 | 3");
    assertThat(
            fixture.value(
                "SELECT string_agg(concat_ws(' ', queue, priority, status, ordering_key,"
                    + " scheduled_at > now() + interval '1 minute'), ', ' ORDER BY id) FROM @jobs"))
        .isEqualTo(
            "default 0 pending f, one 5 pending f, two 0 pending t, default 0 pending three f");
  }

  @Test
  void onlyTheBadJobFailsAndWithItsOwnError() throws Exception {
    List<Call<EnqueueResult>> calls = start(enqueues(database.dataSource()), jobs(1, BAD, 3));
    held.countDown();

    assertThat(calls.get(2).failure())
        .isInstanceOfSatisfying(
            StoreException.class,
            refused -> {
              assertThat(refused.sqlState()).contains("23514");
              assertThat(refused.isOutcomeUnknown()).isFalse();
              assertThat(refused).hasMessageContaining("lucky");
            });
    for (int i : new int[] {0, 1, 3}) {
      assertThat(calls.get(i).result()).isInstanceOf(EnqueueResult.Enqueued.class);
    }
    assertThat(
            fixture.value(
                "SELECT string_agg(payload ->> 'number', ',' ORDER BY payload) FROM @jobs"))
        .isEqualTo("0,1,3");
  }

  /** If the first write was committed, a repetition would create the jobs a second time. */
  @ParameterizedTest
  @EnumSource(
      value = CommitFate.class,
      names = {"CUT_BEFORE", "CUT_AFTER"})
  void ifTheConnectionBreaksDuringTheCommitTheOutcomeIsUnknownToAll(CommitFate fate)
      throws Exception {
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    Iterator<CommitFate> fates = List.of(CommitFate.ACKNOWLEDGED, fate).iterator();
    faulty.decideCommits(() -> fates.hasNext() ? fates.next() : CommitFate.ACKNOWLEDGED);
    List<Call<EnqueueResult>> calls = start(enqueues(faulty), jobs(1, 2, 3));
    held.countDown();

    assertThat(calls.get(0).result()).isInstanceOf(EnqueueResult.Enqueued.class);
    for (Call<EnqueueResult> call : calls.subList(1, 4)) {
      assertThat(call.failure())
          .isInstanceOfSatisfying(
              StoreException.class, lost -> assertThat(lost.isOutcomeUnknown()).isTrue());
    }
    assertThat(jobsByTransaction()).isEqualTo(fate == CommitFate.CUT_AFTER ? "0 | 1,2,3" : "0");
  }

  @Test
  void callersWaitOnceForAnExhaustedPool() throws Exception {
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    List<Call<EnqueueResult>> calls = start(enqueues(faulty), jobs(1, 2, 3));
    faulty.exhaust();
    held.countDown();

    for (Call<EnqueueResult> call : calls) {
      assertThat(call.failure())
          .isInstanceOfSatisfying(
              StoreException.class,
              exhausted -> {
                assertThat(exhausted.isPoolExhausted()).isTrue();
                assertThat(exhausted.isOutcomeUnknown()).isFalse();
              });
    }
    assertThat(faulty.count(Step.CONNECTION)).isEqualTo(2);
  }

  @Test
  void callersThatWaitWhenThePoolIsClosedGetAnError() throws Exception {
    HikariDataSource pool = pool(1);
    List<Call<EnqueueResult>> calls = start(enqueues(pool), jobs(1, 2, 3));
    pool.close();
    held.countDown();

    for (Call<EnqueueResult> call : calls) {
      assertThat(call.failure())
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("has been closed");
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
  }

  @Test
  void aSingleThreadSendsTheSameStatementsAsWithoutSharing() {
    FaultyDataSource counted = new FaultyDataSource(database.dataSource());
    RecordingDataSource sharing = new RecordingDataSource(counted);
    RecordingDataSource alone = new RecordingDataSource(database.dataSource());

    enqueueFive(sharing.dataSource, true);
    enqueueFive(alone.dataSource, false);

    assertThat(sharing.prepared).containsExactlyElementsOf(alone.prepared);
    assertThat(Set.copyOf(sharing.prepared)).hasSize(1);
    assertThat(counted.count(Step.STATEMENT)).isEqualTo(5);
    assertThat(counted.count(Step.CONNECTION)).isEqualTo(5);
  }

  private void enqueueFive(DataSource dataSource, boolean shared) {
    JobQueue queue =
        JobQueue.builder(dataSource)
            .schema(database.schema())
            .wakeUps(false)
            .sameForAllThreads(shared)
            .build();
    for (int i = 0; i < 5; i++) {
      queue.enqueue(Fixture.WORK, new Work(i));
    }
  }

  @Test
  void sixteenThreadsLoseNoJobAndInterceptorsRunInTheCallersThread() throws Exception {
    int threads = 16;
    int each = 60;
    Map<Long, Thread> interceptedBy = new ConcurrentHashMap<>();
    try (HikariDataSource pool = pool(4)) {
      JobQueue queue =
          JobQueue.builder(pool)
              .schema(database.schema())
              .interceptor(
                  (jobs, next) -> {
                    List<EnqueueResult> results = next.enqueue(jobs);
                    results.forEach(
                        result ->
                            interceptedBy.put(result.jobId().value(), Thread.currentThread()));
                    return results;
                  })
              .build();
      List<Call<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int from = 1_000 * (i + 1);
        calls.add(Call.start(() -> enqueueSomeBad(queue, from, each, interceptedBy)));
      }
      int bad = 0;
      for (Call<Integer> call : calls) {
        bad += call.result();
      }
      assertThat(bad).isEqualTo(threads * each / 20);
    }
    assertThat(interceptedBy).hasSize(threads * each * 19 / 20);
    assertThat(
            fixture.value(
                "SELECT count(*) || ' ' || count(DISTINCT payload ->> 'number') FROM @jobs"))
        .isEqualTo("%1$d %1$d", threads * each * 19 / 20);
  }

  /** Enqueues jobs, one in twenty of which is bad. Returns how many of them failed. */
  private static int enqueueSomeBad(
      JobQueue queue, int from, int count, Map<Long, Thread> interceptedBy) {
    int failed = 0;
    for (int i = 0; i < count; i++) {
      boolean good = i % 20 != 0;
      try {
        long id = queue.enqueue(Fixture.WORK, new Work(good ? from + i : BAD)).value();
        assertThat(good).isTrue();
        assertThat(interceptedBy.get(id)).isSameAs(Thread.currentThread());
      } catch (StoreException refused) {
        assertThat(good).isFalse();
        assertThat(refused.sqlState()).contains("23514");
        failed++;
      }
    }
    return failed;
  }

  private HikariDataSource pool(int size) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(database.jdbcUrl());
    pool.setMaximumPoolSize(size);
    return pool;
  }
}
