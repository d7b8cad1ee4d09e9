package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Workers, rescuers and operators change the same rows concurrently, each in a different order.
 * Dead and live jobs compete for the same unique keys.
 */
@QueueTest
class DeadlockConcurrencyIT {

  private static final int THREADS = 8;
  private static final int ROUNDS = 150;
  private static final int JOBS = 150;
  private static final int KEYS = 20;

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Test
  void concurrentMixedBatchesNeverFailAndLeaveEveryJobConsistent() throws Exception {
    fixture.enqueue(JOBS);
    long first = Long.parseLong(fixture.value("SELECT min(id) FROM @jobs"));
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int seed = 0; seed < THREADS; seed++) {
        Random random = new Random(seed);
        all.add(threads.submit(() -> meddle(random, first)));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertWhole();
  }

  private void meddle(Random random, long first) {
    QueueAdmin admin = fixture.queue.admin();
    List<Execution> mine = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      List<JobId> some = shuffled(random, first);
      switch (random.nextInt(9)) {
        case 0 -> admin.redriveAll(DeadJobs.all());
        case 1 -> admin.redrive(some);
        case 2 -> admin.prune(some.subList(0, 3));
        case 3 -> admin.cancel(some.subList(0, 5));
        case 4 -> admin.edit(some.get(0), JobEdit.nothing().priority(0));
        case 5 -> enqueueWithKeys(random);
        case 6 -> fixture.store.rescue(Duration.ZERO, 50);
        case 7 -> fail(mine, random);
        default -> complete(mine, random);
      }
      mine.addAll(claim(random));
      if (!mine.isEmpty() && random.nextBoolean()) {
        fixture.store.heartbeat(List.copyOf(mine), Fixture.LEASE);
      }
    }
  }

  /** Returns random jobs, including those that were added later, in random order. */
  private static List<JobId> shuffled(Random random, long first) {
    List<JobId> ids =
        new ArrayList<>(LongStream.range(first, first + JOBS + 400).mapToObj(JobId::new).toList());
    Collections.shuffle(ids, random);
    return ids.subList(0, 100);
  }

  private List<Execution> claim(Random random) {
    return fixture
        .store
        .claim(
            Fixture.request(
                20, random.nextBoolean() ? Fixture.EXPIRED : Fixture.LEASE, new Lane("default", 0)))
        .stream()
        .map(ClaimedJob::execution)
        .toList();
  }

  private void fail(List<Execution> mine, Random random) {
    Collections.shuffle(mine, random);
    fixture.store.fail(
        mine.stream()
            .map(
                execution ->
                    new Failure(
                        execution, JobError.of("no luck"), Duration.ZERO, random.nextInt(3) > 0))
            .toList());
    mine.clear();
  }

  private void complete(List<Execution> mine, Random random) {
    Collections.shuffle(mine, random);
    List<Execution> some = mine.subList(0, Math.min(5, mine.size()));
    fixture.store.complete(List.copyOf(some));
    some.clear();
  }

  private void enqueueWithKeys(Random random) {
    for (int i = 0; i < 5; i++) {
      fixture.value(
          "SELECT @enqueue('work', '{}', unique_key => 'key-%d')".formatted(random.nextInt(KEYS)));
    }
  }

  private void assertWhole() {
    assertThat(
            fixture.value(
                "SELECT string_agg(jobs.id || ' ' || jobs.status, ', ') FROM @jobs WHERE attempts"
                    + " <> (SELECT count(*) FROM @job_executions WHERE job_id = jobs.id) OR"
                    + " coalesce(current_execution_id, 0) <> (SELECT coalesce(sum(id), 0) FROM"
                    + " @job_executions WHERE job_id = jobs.id AND status = 'running') OR EXISTS"
                    + " (SELECT FROM @jobs_archive WHERE id = jobs.id) OR EXISTS (SELECT FROM"
                    + " @job_executions WHERE job_id = jobs.id AND status = 'succeeded')"))
        .as("inconsistent live jobs")
        .isNull();
    assertThat(
            fixture.value(
                "SELECT string_agg(id || ' ' || status, ', ') FROM @jobs_archive AS ended WHERE"
                    + " attempts <> (SELECT count(*) FROM @job_executions WHERE job_id = ended.id)"
                    + " OR (status = 'completed')::int <> (SELECT count(*) FROM @job_executions"
                    + " WHERE job_id = ended.id AND status = 'succeeded') OR EXISTS (SELECT FROM"
                    + " @job_executions WHERE job_id = ended.id AND status = 'running')"))
        .as("inconsistent archived jobs")
        .isNull();
    assertThat(
            fixture.value(
                "SELECT count(*) > 0 AND count(*) = count(DISTINCT id) FROM @jobs_archive"))
        .isEqualTo("t");
    // Dead jobs were pruned and others redriven, so the run has had many jobs in each state.
    assertThat(
            fixture.value(
                "SELECT count(DISTINCT status) FROM @job_executions WHERE status IN ('succeeded',"
                    + " 'failed', 'dead', 'lost', 'cancelled')"))
        .isEqualTo("5");
  }
}
