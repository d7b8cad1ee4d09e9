package dev.skipjack.testkit;

import static dev.skipjack.testkit.StoreFixture.LEASE;
import static dev.skipjack.testkit.StoreFixture.UNKNOWN;
import static dev.skipjack.testkit.StoreFixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.spi.ClaimedJob;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Dead jobs remain until they are redriven or pruned. */
abstract class DeadLetterPromises extends Promises {

  @Nested
  class Redrive {

    @Test
    void redriveResetsTheUsedAttemptsAndKeepsTheHistory() throws SQLException {
      JobId id = fixture.enqueue(1);
      for (int attempt = 1; attempt <= 3; attempt++) {
        fixture.fail(List.of(fixture.claimOne(LEASE)), false);
      }
      Instant before = fixture.now();

      assertThat(admin.redrive(List.of(id))).containsExactly(new RedriveResult.Redriven());

      JobSummary job = fixture.summary(id);
      assertThat(job.status()).isEqualTo(JobStatus.PENDING);
      assertThat(job.diedAt()).isNull();
      assertThat(job.attempts()).isEqualTo(3);
      assertThat(job.usedAttempts()).isZero();
      assertThat(job.scheduledAt()).isBetween(before, fixture.now());
      assertThat(fixture.claim(1)).extracting(ClaimedJob::attempt).containsExactly(1);
      assertThat(fixture.audit(id))
          .containsExactly(
              ExecutionStatus.FAILED,
              ExecutionStatus.FAILED,
              ExecutionStatus.DEAD,
              ExecutionStatus.RUNNING);
    }

    @Test
    void returnsAResultForEachJobInTheOrderOfTheIds() {
      JobId dead = fixture.dead(1).get(0);
      JobId running = fixture.enqueue(1);
      fixture.claimOne(LEASE);
      JobId pending = fixture.enqueue(2);

      assertThat(admin.redrive(List.of(running, UNKNOWN, dead, pending)))
          .containsExactly(
              new RedriveResult.NotDead(),
              new RedriveResult.Gone(),
              new RedriveResult.Redriven(),
              new RedriveResult.NotDead());
      assertThat(admin.redrive(List.of(dead))).containsExactly(new RedriveResult.NotDead());
      assertThat(admin.redrive(List.of())).isEmpty();
    }

    @Test
    void redriveOfAllChangesAnyNumberOfMatchingJobs() {
      List<JobId> dead = fixture.dead(700);
      JobId elsewhere = deadIn("other");

      assertThat(admin.redriveAll(DeadJobs.all().ofKind("foreign")).redriven()).isZero();
      assertThat(admin.redriveAll(DeadJobs.all().ofQueue("default").ofKind("work")).redriven())
          .isEqualTo(dead.size());
      assertThat(fixture.statusOf(elsewhere)).isEqualTo(JobStatus.DEAD);
      assertThat(admin.redriveAll(DeadJobs.all()).redriven()).isEqualTo(1);
    }
  }

  @Nested
  class Prune {

    @Test
    void pruneDeletesDeadJobsOnly() {
      JobId dead = fixture.dead(1).get(0);
      JobId pending = fixture.enqueue(1);

      assertThat(admin.prune(List.of(pending, dead, UNKNOWN)))
          .containsExactly(PruneResult.NOT_DEAD, PruneResult.PRUNED, PruneResult.GONE);

      assertThat(reader.find(dead)).isEmpty();
      assertThat(fixture.statusOf(pending)).isEqualTo(JobStatus.PENDING);
      assertThat(admin.prune(List.of(dead))).containsExactly(PruneResult.GONE);
      assertThat(admin.redrive(List.of(dead))).containsExactly(new RedriveResult.Gone());
      assertThat(admin.prune(List.of())).isEmpty();
    }

    @Test
    void pruneOfAllDeletesMatchingJobsThatAreOldEnough() {
      fixture.dead(700);
      deadIn("other");

      assertThat(admin.pruneAll(DeadJobs.all(), Duration.ofHours(1))).isZero();
      assertThat(admin.pruneAll(DeadJobs.all().ofQueue("other"), Duration.ZERO)).isEqualTo(1);
      assertThat(admin.pruneAll(DeadJobs.all(), Duration.ZERO)).isEqualTo(700);
      assertThatThrownBy(() -> admin.pruneAll(DeadJobs.all(), Duration.ofDays(-1)))
          .isInstanceOf(IllegalArgumentException.class);
    }

    /**
     * The first command to commit changes the job, and the other one has no effect on it. No job is
     * both redriven and deleted.
     */
    @Test
    void concurrentPruneAndRedriveNeverBothChangeAJob() throws Exception {
      List<JobId> dead = fixture.dead(300);
      List<JobId> backwards = new ArrayList<>(dead);
      Collections.reverse(backwards);
      ExecutorService threads = Executors.newFixedThreadPool(2);
      try {
        Future<List<PruneResult>> prune = threads.submit(() -> admin.prune(dead));
        Future<List<RedriveResult>> redrive = threads.submit(() -> admin.redrive(backwards));
        long pruned = prune.get().stream().filter(answer -> answer == PruneResult.PRUNED).count();
        long redriven =
            redrive.get().stream().filter(RedriveResult.Redriven.class::isInstance).count();

        assertThat(pruned + redriven).isEqualTo(300);
        assertThat(fixture.claim(1_000)).hasSize((int) redriven);
      } finally {
        threads.shutdownNow();
      }
    }
  }

  private JobId deadIn(String queue) {
    JobId job = fixture.ports.enqueuer().enqueue(WORK.onQueue(queue), 1);
    fixture.fail(List.of(fixture.claimFrom(queue, LEASE)), true);
    return job;
  }
}
