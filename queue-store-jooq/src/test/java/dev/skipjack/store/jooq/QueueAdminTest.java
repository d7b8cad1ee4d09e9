package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.RedriveSummary;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QueueTest
class QueueAdminTest {

  private static final JobError ERROR = JobError.of("no luck");

  private Fixture fixture;
  private QueueAdmin admin;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    admin = fixture.queue.admin();
  }

  private JobId enqueue() {
    return fixture.queue.enqueue(Fixture.WORK, new Fixture.Work(1));
  }

  private List<JobId> dead(int count) {
    fixture.enqueue(count);
    List<ClaimedJob> claimed = fixture.claim(count);
    fixture.store.fail(
        claimed.stream()
            .map(job -> new Failure(job.execution(), ERROR, Duration.ZERO, true))
            .toList());
    return claimed.stream().map(job -> job.execution().jobId()).toList();
  }

  @Nested
  class Cancel {

    /**
     * A claimer takes the row between the snapshot and the lock of the cancel, which then finds the
     * job running.
     */
    @Test
    void cancelBecomesARequestWhenAClaimerTakesTheJobMeanwhile() throws Exception {
      JobId job = enqueue();
      ExecutorService thread = Executors.newSingleThreadExecutor();
      try (Connection claimer = fixture.database.connection();
          Statement statement = claimer.createStatement()) {
        claimer.setAutoCommit(false);
        String jobs = fixture.database.schema() + ".jobs";
        statement.execute(
            "UPDATE "
                + jobs
                + " SET status = 'running', current_execution_id = 1, started_at = now(),"
                + " lease_expires_at = now() + interval '1 minute', attempts = 1");
        Future<List<CancelResult>> cancel = thread.submit(() -> admin.cancel(List.of(job)));
        claimer.commit();

        assertThat(cancel.get(10, TimeUnit.SECONDS)).containsExactly(CancelResult.REQUESTED);
      } finally {
        thread.shutdownNow();
      }
    }
  }

  @Nested
  class Redrive {

    @Test
    void redriveOfManyJobsProcessesAllMatchesInBatches() {
      dead(1_000);
      List<JobId> twins = dead(2);
      fixture.execute(
          "UPDATE @jobs SET freed_unique_key = 'k' WHERE id IN ("
              + twins.get(0)
              + ", "
              + twins.get(1)
              + ")");

      RedriveSummary summary = admin.redriveAll(DeadJobs.all().ofQueue("default").ofKind("work"));

      assertThat(summary.redriven()).isEqualTo(1_001);
      assertThat(summary.refused()).containsOnlyKeys(twins.get(1));
      assertThat(admin.redriveAll(DeadJobs.all().ofQueue("other")).redriven()).isZero();
    }
  }

  @Nested
  class Prune {

    @Test
    void pruneOfManyJobsRespectsTheAge() {
      dead(600);
      fixture.execute("UPDATE @jobs SET died_at = died_at - interval '10 days' WHERE id % 2 = 0");

      assertThat(admin.pruneAll(DeadJobs.all(), Duration.ofDays(7))).isEqualTo(300);
      List<Integer> progress = new ArrayList<>();
      assertThat(admin.pruneAll(DeadJobs.all().ofKind("work"), Duration.ZERO, progress::add))
          .isEqualTo(300);
      assertThat(progress).isSorted().last().isEqualTo(300);
      assertThatThrownBy(() -> admin.pruneAll(DeadJobs.all(), Duration.ofDays(-1)))
          .hasMessageContaining("0..36500 days");
    }
  }
}
