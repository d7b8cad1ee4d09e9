package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.EXPIRED;
import static dev.skipjack.store.jooq.Fixture.LEASE;
import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two workers, a sweeper and an operator take random steps concurrently, also on jobs of the other
 * worker. At the end, all invariants must hold. {@link JobLifeProperties} tests the same steps one
 * after another.
 */
@QueueTest
class JobLifeConcurrencyIT {

  private static final int JOBS = 120;
  private static final int STEPS = Boolean.getBoolean("skipjack.soak") ? 4_000 : 400;

  private final Queue<JobId> completed = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pruned = new AtomicInteger();
  private Fixture fixture;
  private List<JobId> jobs;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    jobs =
        fixture.queue.enqueueAll(
            WORK, IntStream.range(0, JOBS).mapToObj(Fixture.Work::new).toList());
  }

  @Test
  void concurrentActorsLoseNoJobAndEndNoneTwice() throws Exception {
    long seed = new Random().nextLong();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Integer>> actors =
          List.of(
              () -> work(new Random(seed)),
              () -> work(new Random(seed + 1)),
              () -> sweep(),
              () -> operate(new Random(seed + 2)));
      for (Future<Integer> actor : threads.invokeAll(actors)) {
        assertThat(actor.get()).isEqualTo(STEPS);
      }
    } finally {
      threads.shutdownNow();
    }
    assertInvariants("seed " + seed);
  }

  private int work(Random random) throws SQLException {
    List<Execution> mine = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      if (mine.isEmpty() || random.nextInt(3) == 0) {
        fixture.claim(4, random.nextBoolean() ? EXPIRED : LEASE).stream()
            .map(ClaimedJob::execution)
            .forEach(mine::add);
      } else {
        write(mine, random);
      }
    }
    return STEPS;
  }

  /** Makes random writes for recent attempts, some of which have ended. */
  private void write(List<Execution> mine, Random random) throws SQLException {
    List<Execution> latest = mine.subList(Math.max(0, mine.size() - 12), mine.size());
    Execution one = latest.get(random.nextInt(latest.size()));
    switch (random.nextInt(7)) {
      case 0 -> fixture.store.heartbeat(latest, LEASE);
      case 1 -> {
        if (fixture.store.complete(List.of(one)).get(0) == Verdict.DONE) {
          completed.add(one.jobId());
        }
      }
      case 2 -> completeIn(one, random.nextBoolean());
      case 3 -> requeue(one, ExecutionStatus.SNOOZED);
      case 4 -> requeue(one, ExecutionStatus.RELEASED);
      default ->
          fixture.store.fail(
              latest.stream()
                  .map(
                      attempt ->
                          new Failure(
                              attempt,
                              JobError.of("no luck"),
                              Duration.ZERO,
                              random.nextInt(8) == 0))
                  .toList());
    }
  }

  private void requeue(Execution attempt, ExecutionStatus as) {
    fixture.store.requeue(List.of(new Requeue(attempt, as, Duration.ZERO)));
  }

  private void completeIn(Execution attempt, boolean commits) throws SQLException {
    try (Connection transaction = fixture.database.connection()) {
      transaction.setAutoCommit(false);
      fixture.store.completeIn(transaction, attempt);
      if (commits) {
        transaction.commit();
        completed.add(attempt.jobId());
      } else {
        transaction.rollback();
      }
    } catch (LeaseLostException lost) {
      assertThat(lost.executionId()).isEqualTo(attempt.id());
    }
  }

  private int sweep() {
    for (int step = 0; step < STEPS; step++) {
      fixture.store.rescue(Duration.ZERO, 5);
    }
    return STEPS;
  }

  private int operate(Random random) {
    QueueAdmin admin = fixture.queue.admin();
    for (int step = 0; step < STEPS; step++) {
      List<JobId> some = random.ints(3, 0, JOBS).distinct().sorted().mapToObj(jobs::get).toList();
      switch (random.nextInt(24)) {
        case 0 -> admin.cancel(some.subList(0, 1));
        case 1 ->
            pruned.addAndGet(
                (int) admin.prune(some).stream().filter(PruneResult.PRUNED::equals).count());
        case 2, 3, 4 -> admin.edit(some.get(0), JobEdit.nothing().delay(Duration.ZERO));
        default -> admin.redrive(some);
      }
    }
    return STEPS;
  }

  private void assertInvariants(String seed) {
    assertThat(completed).as(seed).isNotEmpty().doesNotHaveDuplicates();
    assertZero(
        seed + ": accepted completions minus archived jobs",
        "SELECT "
            + completed.size()
            + " - (SELECT count(*) FROM @jobs_archive WHERE status = 'completed')");
    assertZero(
        seed + ": jobs that are missing or in both tables",
        "SELECT %d - %d - (SELECT count(*) FROM (SELECT id FROM @jobs UNION ALL SELECT id FROM @jobs_archive) AS kept)"
            .formatted(JOBS, pruned.get()));
    String kept =
        "(SELECT id, attempts, uncounted_attempts, max_attempts FROM @jobs UNION ALL SELECT id, attempts,"
            + " uncounted_attempts, max_attempts FROM @jobs_archive)";
    assertZero(
        seed + ": jobs whose attempts differ from their audit rows",
        "SELECT count(*) FROM "
            + kept
            + " AS job WHERE attempts <> (SELECT count(*) FROM @job_executions WHERE job_id ="
            + " job.id)");
    assertZero(
        seed + ": jobs that used more attempts than allowed",
        "SELECT count(*) FROM "
            + kept
            + " AS job WHERE attempts - uncounted_attempts > max_attempts");
    assertZero(
        seed
            + ": open audit rows without a running job, and running jobs without an open audit row",
        "SELECT count(*) FROM (SELECT id, current_execution_id AS execution FROM @jobs WHERE status"
            + " = 'running') AS job FULL JOIN (SELECT job_id, id AS execution FROM @job_executions"
            + " WHERE status = 'running') AS attempt ON attempt.job_id = job.id AND"
            + " attempt.execution = job.execution WHERE job.id IS NULL OR attempt.job_id IS NULL");
    assertZero(
        seed + ": completions minus successful attempts",
        "SELECT "
            + completed.size()
            + " - count(*) FROM @job_executions WHERE status = 'succeeded'");
  }

  private void assertZero(String what, String sql) {
    assertThat(fixture.value(sql)).as(what).isEqualTo("0");
  }
}
