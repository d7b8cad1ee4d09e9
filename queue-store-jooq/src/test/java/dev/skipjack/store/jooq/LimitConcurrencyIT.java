package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests, with the audit, that concurrent claimers never exceed a limit. Some claimers abandon their
 * jobs, as killed processes do, and others complete jobs that were rescued.
 */
@QueueTest
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class LimitConcurrencyIT {

  private static final boolean SOAK = Boolean.getBoolean("skipjack.soak");
  private static final int CLAIMERS = 32;
  private static final String LIMIT = "shared";
  private static final List<String> QUEUES = List.of("one", "two");
  private static final Duration LEASE = Duration.ofMillis(300);

  private final long seed = new Random().nextLong();
  private LimitFixture limits;

  @BeforeEach
  void setUp(QueueDatabase database) {
    limits = new LimitFixture(database);
  }

  @Test
  void noGroupExceedsItsLimitAndNoJobIsForgotten() throws Exception {
    int groups = 1_000;
    int each = SOAK ? 40 : 2;
    limits.limit(LIMIT, null, 2);
    for (String queue : QUEUES) {
      limits.queue(queue, LIMIT, true);
      limits.enqueue(queue, groups, each);
    }

    run(() -> 0);

    Audit audit = limits.audit();
    assertThat(audit.mostRunningOfAGroup()).as("seed %d", seed).isEqualTo(2);
    assertDrained(QUEUES.size() * groups * each);
  }

  @Test
  void noLimitIsExceededWhileItChanges() throws Exception {
    int groups = 10;
    int each = SOAK ? 400 : 8;
    NavigableMap<Long, Integer> ofAll = new TreeMap<>();
    NavigableMap<Long, Integer> ofGroup = new TreeMap<>();
    limits.limit(LIMIT, 9, 3);
    ofAll.put(0L, 9);
    ofGroup.put(0L, 3);
    for (String queue : QUEUES) {
      limits.queue(queue, LIMIT, queue.equals("one"));
      limits.enqueue(queue, groups, each);
    }
    AtomicBoolean even = new AtomicBoolean();

    run(
        () -> {
          boolean lower = even.getAndSet(!even.get());
          int all = lower ? 5 : 9;
          int group = lower ? 1 : 3;
          long before = limits.now();
          limits.change(LIMIT, all, group);
          // A higher number counts from the call, and a lower one from its return.
          long from = lower ? limits.now() : before;
          ofAll.put(from, all);
          ofGroup.put(from, group);
          return 0;
        });

    Audit audit = limits.audit();
    assertThat(ofAll).as("changes").hasSizeGreaterThan(4);
    assertThat(audit.startedAbove(time -> at(ofAll, time)))
        .as("seed %d, %s", seed, ofAll)
        .isEmpty();
    for (int group = 1; group <= groups; group++) {
      String name = LimitFixture.group(group);
      assertThat(
              audit
                  .where(attempt -> attempt.group().equals(name))
                  .startedAbove(time -> at(ofGroup, time)))
          .as("seed %d, %s", seed, ofGroup)
          .isEmpty();
    }
    assertThat(audit.mostRunning()).isEqualTo(9);
    assertDrained(QUEUES.size() * groups * each);
  }

  private static int at(NavigableMap<Long, Integer> numbers, long time) {
    return Objects.requireNonNull(numbers.floorEntry(time)).getValue();
  }

  private void assertDrained(int jobs) {
    assertThat(limits.fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
    assertThat(
            limits.fixture.value(
                "SELECT count(DISTINCT id) FROM @jobs_archive WHERE status = 'completed'"))
        .isEqualTo(String.valueOf(jobs));
    assertThat(limits.fixture.value("SELECT count(*) FROM @job_executions WHERE status = 'lost'"))
        .isNotEqualTo("0");
  }

  /** Runs all claimers until no job is left. */
  private void run(Callable<Integer> operator) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CLAIMERS + 2);
    AtomicBoolean drained = new AtomicBoolean();
    try (HikariDataSource pool = limits.fixture.database.newDataSource(CLAIMERS + 2)) {
      List<Future<?>> all = new ArrayList<>();
      for (int n = 0; n < CLAIMERS; n++) {
        LimitClaims claims = limits.claims(pool, "claimer-" + n);
        Random random = new Random(seed + n);
        all.add(threads.submit(() -> work(claims, random, drained)));
      }
      JobStore store = limits.store(pool);
      Future<?> sweeper =
          threads.submit(
              () -> {
                while (!drained.get()) {
                  store.rescue(Duration.ZERO, 100);
                  operator.call();
                  drained.set(limits.fixture.value("SELECT count(*) FROM @jobs").equals("0"));
                }
                return null;
              });
      for (Future<?> each : all) {
        each.get();
      }
      sweeper.get();
    } finally {
      drained.set(true);
      threads.shutdownNow();
    }
  }

  private static Void work(LimitClaims claims, Random random, AtomicBoolean drained) {
    List<Execution> held = new ArrayList<>();
    while (!drained.get()) {
      String queue = QUEUES.get(random.nextInt(QUEUES.size()));
      for (ClaimedJob job : claims.claim(queue, 1 + random.nextInt(8), LEASE)) {
        held.add(job.execution());
      }
      while (held.size() > random.nextInt(3)) {
        end(claims.store(), held.remove(random.nextInt(held.size())), random);
      }
    }
    return null;
  }

  /** Ends an attempt in one of the possible ways, or abandons it. */
  private static void end(JobStore store, Execution attempt, Random random) {
    switch (random.nextInt(40)) {
      case 0 -> {} // its process was killed, so its lease expires
      case 1 ->
          store.requeue(
              List.of(new Requeue(attempt, ExecutionStatus.RELEASED, Duration.ZERO, null)));
      case 2 ->
          store.requeue(
              List.of(new Requeue(attempt, ExecutionStatus.SNOOZED, Duration.ZERO, null)));
      case 3 ->
          store.fail(List.of(new Failure(attempt, JobError.of("no luck"), Duration.ZERO, false)));
      default -> {
        while (store.complete(List.of(attempt)).get(0) == Verdict.BUSY) {
          Thread.onSpinWait();
        }
      }
    }
  }
}
