package dev.skipjack.dedup;

import static dev.skipjack.dedup.Fixture.SYNC;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.dedup.Fixture.Sync;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests many threads that enqueue the same few keys, while jobs complete, fail, die, and are
 * snoozed, rescued and cancelled. A third of the enqueuing transactions roll back. With {@code
 * -Psoak}, 64 threads make 1,000 enqueues each.
 */
@QueueTest
class UniqueRaceIT {

  private static final int THREADS = Fixture.SOAK ? 64 : 16;
  private static final int ENQUEUES = Fixture.SOAK ? 1_000 : 40;
  private static final int KEYS = 6;

  private static final String LIVE = "@jobs WHERE status <> 'dead'";

  /** Excludes next jobs, because one may exist if transactions have held a job for a second. */
  private static final String NEVER_STARTED =
      "@jobs WHERE attempts = 0 AND unique_key NOT LIKE 'next/%'";

  private static final String EVER_MADE =
      "(SELECT payload FROM @jobs UNION ALL SELECT payload FROM @jobs_archive) AS made";

  /** The rules of a key, and the set of jobs among which the key must occur only once. */
  enum Way {
    KEEP(false, LIVE),
    REPLACE(false, LIVE),
    KEEP_AND_RUN(true, LIVE),
    REPLACE_AND_RUN(true, LIVE),
    DEBOUNCE_AND_RUN(true, LIVE),
    UNTIL_STARTED_AND_RUN(true, NEVER_STARTED),
    PER_PERIOD_AND_RUN(true, EVER_MADE);

    private final boolean runs;

    /**
     * The FROM clause that selects the jobs to count. They are counted by payload, independently of
     * the key columns.
     */
    private final String counted;

    Way(boolean runs, String counted) {
      this.runs = runs;
      this.counted = counted;
    }

    Unique<Sync> unique() {
      return switch (this) {
        case KEEP, KEEP_AND_RUN -> Fixture.BY_ACCOUNT;
        case REPLACE, REPLACE_AND_RUN -> Fixture.BY_ACCOUNT.replace();
        case DEBOUNCE_AND_RUN ->
            Fixture.BY_ACCOUNT.debounce(Duration.ofMillis(1), Duration.ofMillis(20));
        case UNTIL_STARTED_AND_RUN -> Fixture.BY_ACCOUNT.untilStarted();
        case PER_PERIOD_AND_RUN -> Fixture.BY_ACCOUNT.perPeriod(Duration.ofHours(1));
      };
    }
  }

  private final Set<JobId> committed = ConcurrentHashMap.newKeySet();
  private final Set<JobId> answered = ConcurrentHashMap.newKeySet();
  private final Set<String> promised = ConcurrentHashMap.newKeySet();
  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database, false);
  }

  @ParameterizedTest
  @EnumSource
  void aKeyHasOneJobAtATimeAndEveryCallerGetsItsId(Way way) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS + 2);
    AtomicBoolean over = new AtomicBoolean();
    try (HikariDataSource pool = fixture.database.newDataSource(THREADS)) {
      Future<Integer> looks = threads.submit(() -> look(way, over));
      Future<Integer> runs = threads.submit(() -> way.runs ? run(over) : 0);
      List<Callable<Integer>> producers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        long seed = i;
        producers.add(() -> produce(pool, way.unique(), new Random(seed)));
      }
      int calls = 0;
      for (Future<Integer> producer : threads.invokeAll(producers)) {
        calls += producer.get();
      }
      over.set(true);

      assertThat(calls).isGreaterThanOrEqualTo(THREADS * ENQUEUES);
      assertThat(looks.get(30, TimeUnit.SECONDS)).isPositive();
      assertThat(runs.get(30, TimeUnit.SECONDS) > 0).isEqualTo(way.runs);
    } finally {
      threads.shutdownNow();
    }
    assertThat(committed).as("every result is a job that was committed").containsAll(answered);
    assertThat(fixture.value("SELECT count(*) + (SELECT count(*) FROM @jobs_archive) FROM @jobs"))
        .isEqualTo("" + committed.size());
    if (!way.runs) {
      assertThat(
              fixture.value(
                  "SELECT string_agg(payload->>'account', ' ' ORDER BY payload->>'account') FROM @jobs"))
          .as("every key returned in a committed transaction has its job")
          .isEqualTo(String.join(" ", new TreeSet<>(promised)));
    }
    for (int key = 0; key < KEYS; key++) {
      fixture.unique.enqueue(SYNC, Fixture.sync("key-" + key), way.unique());
    }
    assertThat(
            fixture.value(
                "SELECT string_agg(n::text, ' ') FROM (SELECT count(*) AS n FROM %s GROUP BY payload->>'account') AS of_key"
                    .formatted(way.counted)))
        .isEqualTo("1 1 1 1 1 1");
  }

  /** Runs transactions with one to three keys, in ascending order to avoid deadlocks. */
  private int produce(HikariDataSource pool, Unique<Sync> unique, Random random) throws Exception {
    int calls = 0;
    while (calls < ENQUEUES) {
      try (Connection connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        List<EnqueueResult> results = new ArrayList<>();
        List<String> accounts = new ArrayList<>();
        int keys = 1 + random.nextInt(3);
        for (int key : random.ints(0, KEYS).distinct().limit(keys).sorted().toArray()) {
          Sync payload = new Sync("key-" + key, calls);
          results.add(fixture.unique.in(connection).enqueue(SYNC, payload, unique));
          accounts.add(payload.account());
          calls++;
        }
        if (random.nextInt(3) == 0) {
          connection.rollback();
        } else {
          // This precedes the commit, because a concurrent call may receive the job immediately
          // afterwards.
          created(results).forEach(committed::add);
          connection.commit();
          promised.addAll(accounts);
        }
        Set<JobId> own = Set.copyOf(created(results).toList());
        results.stream()
            .map(EnqueueResult::jobId)
            .filter(id -> !own.contains(id))
            .forEach(answered::add);
        connection.setAutoCommit(true);
      }
    }
    return calls;
  }

  private static Stream<JobId> created(List<EnqueueResult> results) {
    return results.stream().filter(Enqueued.class::isInstance).map(EnqueueResult::jobId);
  }

  private int look(Way way, AtomicBoolean over) {
    int looks = 0;
    while (!over.get()) {
      assertThat(
              fixture.value(
                  "SELECT coalesce(max(n), 1) FROM (SELECT count(*) AS n FROM %s GROUP BY payload->>'account') AS of_key"
                      .formatted(way.counted)))
          .isEqualTo("1");
      assertThat(
              fixture.value(
                  "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"))
          .isEqualTo("0");
      looks++;
    }
    return looks;
  }

  /**
   * Runs jobs until the race has ended, and then once more, because transactions may have held all
   * jobs.
   */
  private int run(AtomicBoolean over) {
    Random random = new Random(THREADS);
    int runs = 0;
    boolean last;
    do {
      last = over.get();
      boolean loses = random.nextInt(8) == 0;
      List<Execution> claimed = fixture.claim(2, loses ? Fixture.EXPIRED : Fixture.LEASE);
      runs += claimed.size();
      if (loses) {
        fixture.store.rescue(Duration.ZERO, 10);
      } else {
        claimed.forEach(execution -> end(execution, random));
      }
    } while (!last);
    return runs;
  }

  private void end(Execution execution, Random random) {
    switch (random.nextInt(8)) {
      case 0 -> fixture.fail(execution, false);
      case 1 -> fixture.fail(execution, true);
      case 2 ->
          fixture.store.requeue(
              List.of(new Requeue(execution, ExecutionStatus.SNOOZED, Duration.ZERO)));
      case 3 -> {
        fixture.store.fail(
            List.of(new Failure(execution, JobError.of("no luck"), Duration.ofMillis(20), false)));
        fixture.queue.admin().cancel(List.of(execution.jobId()));
      }
      default -> fixture.store.complete(List.of(execution));
    }
  }
}
