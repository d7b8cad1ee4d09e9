package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many claimers, every job counted. */
@QueueTest
class ClaimConcurrencyIT {

  private static final int JOBS = 20_000;
  private static final int CLAIMERS = 8;
  private static final int BATCH = 37;

  @Test
  void eachJobIsClaimedAndCompletedOnce(QueueDatabase database) throws Exception {
    Fixture fixture = new Fixture(database);
    fixture.enqueue(JOBS);
    Set<JobId> seen = ConcurrentHashMap.newKeySet();
    ExecutorService threads = Executors.newFixedThreadPool(CLAIMERS);
    try {
      List<Future<Integer>> claimers = new ArrayList<>();
      for (int i = 0; i < CLAIMERS; i++) {
        claimers.add(threads.submit(() -> drain(fixture, seen)));
      }
      int completed = 0;
      for (Future<Integer> claimer : claimers) {
        completed += claimer.get();
      }
      assertThat(completed).isEqualTo(JOBS);
    } finally {
      threads.shutdownNow();
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
    assertThat(fixture.value("SELECT count(*) || ' ' || count(DISTINCT id) FROM @jobs_archive"))
        .isEqualTo(JOBS + " " + JOBS);
    assertThat(
            fixture.value(
                "SELECT count(*) || ' ' || count(DISTINCT job_id) FROM @job_executions WHERE status = 'succeeded'"))
        .isEqualTo(JOBS + " " + JOBS);
  }

  private static int drain(Fixture fixture, Set<JobId> seen) {
    ClaimRequest request = Fixture.request(BATCH, Fixture.LEASE, new Lane("default", 0));
    int completed = 0;
    while (true) {
      List<ClaimedJob> claimed = fixture.store.claim(request);
      if (claimed.isEmpty()) {
        return completed;
      }
      assertThat(claimed).hasSizeLessThanOrEqualTo(BATCH);
      List<Execution> executions = claimed.stream().map(ClaimedJob::execution).toList();
      executions.forEach(
          execution ->
              assertThat(seen.add(execution.jobId())).as("claimed twice: %s", execution).isTrue());
      completeAll(fixture, executions);
      completed += executions.size();
    }
  }

  /**
   * A rival whose snapshot still shows the job as pending locks its row for a moment: busy, never
   * lost.
   */
  private static void completeAll(Fixture fixture, List<Execution> executions) {
    List<Execution> left = executions;
    while (!left.isEmpty()) {
      List<Verdict> verdicts = fixture.store.complete(left);
      assertThat(verdicts).doesNotContain(Verdict.LOST);
      List<Execution> asked = left;
      left =
          IntStream.range(0, asked.size())
              .filter(i -> verdicts.get(i) == Verdict.BUSY)
              .mapToObj(asked::get)
              .toList();
    }
  }
}
