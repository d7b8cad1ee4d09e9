package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests, with the rows in the database, that concurrent claimers run each job once. */
@QueueTest
class ClaimConcurrencyIT {

  private static final int JOBS = 100_000;
  private static final int CLAIMERS = 32;
  private static final int BATCH = 250;

  /** Each claim uses its own worker name, so that the audit shows how many jobs it took. */
  private final AtomicInteger claims = new AtomicInteger();

  @Test
  void eachJobIsClaimedAndCompletedOnceAndNoClaimTakesMoreThanAsked(QueueDatabase database)
      throws Exception {
    Fixture fixture = new Fixture(database);
    fixture.execute(
        "INSERT INTO @jobs (kind, payload) SELECT 'work', '{}' FROM generate_series(1, %d)"
            .formatted(JOBS));
    ExecutorService threads = Executors.newFixedThreadPool(CLAIMERS);
    try (HikariDataSource pool = database.newDataSource(CLAIMERS)) {
      JobStore store = JobQueue.builder(pool).schema(database.schema()).build().store();
      List<Future<?>> claimers = new ArrayList<>();
      for (int i = 0; i < CLAIMERS; i++) {
        claimers.add(threads.submit(() -> drain(store)));
      }
      for (Future<?> claimer : claimers) {
        claimer.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
    assertThat(
            fixture.value(
                "SELECT count(*) || ' ' || count(DISTINCT id) || ' ' || max(attempts) FROM"
                    + " @jobs_archive WHERE status = 'completed'"))
        .isEqualTo(JOBS + " " + JOBS + " 1");
    assertThat(
            fixture.value(
                "SELECT count(*) || ' ' || count(DISTINCT job_id) || ' ' || min(status) || ' ' ||"
                    + " max(status) FROM @job_executions"))
        .isEqualTo(JOBS + " " + JOBS + " succeeded succeeded");
    assertThat(
            fixture.value(
                "SELECT max(taken) FROM (SELECT count(*) AS taken FROM @job_executions GROUP BY"
                    + " worker_id) AS claim"))
        .isEqualTo(String.valueOf(BATCH));
  }

  private void drain(JobStore store) {
    ClaimRequest request = Fixture.request(BATCH, Fixture.LEASE, new Lane("default", 0));
    while (true) {
      WorkerId name = new WorkerId("claim-" + claims.incrementAndGet(), UUID.randomUUID());
      List<ClaimedJob> claimed =
          store.claim(
              new ClaimRequest(
                  name, request.lanes(), request.kinds(), request.limit(), request.lease()));
      if (claimed.isEmpty()) {
        return;
      }
      completeAll(store, claimed.stream().map(ClaimedJob::execution).toList());
    }
  }

  /**
   * Completes the executions. Another claimer whose snapshot still shows a job as pending may lock
   * its row briefly, so the result can be busy but never lost.
   */
  private static void completeAll(JobStore store, List<Execution> executions) {
    List<Execution> left = executions;
    while (!left.isEmpty()) {
      List<Verdict> verdicts = store.complete(left);
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
