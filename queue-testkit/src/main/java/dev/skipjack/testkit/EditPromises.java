package dev.skipjack.testkit;

import static dev.skipjack.testkit.StoreFixture.LEASE;
import static dev.skipjack.testkit.StoreFixture.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.api.operations.RedriveResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Only pending and dead jobs can be changed. A row that stays locked is reported as busy. */
abstract class EditPromises extends Promises {

  @Test
  void changesOnlyWhatIsSet() throws SQLException {
    JobId id = fixture.enqueue(1, job -> job.delay(Duration.ofDays(1)).priority(3));
    JobSummary before = fixture.summary(id);

    assertThat(admin.edit(id, JobEdit.nothing().priority(9))).isEqualTo(EditResult.EDITED);
    assertThat(fixture.summary(id).priority()).isEqualTo(9);
    assertThat(fixture.summary(id).scheduledAt()).isEqualTo(before.scheduledAt());
    assertThat(fixture.find(id).payload()).isEqualTo("1");

    assertThat(admin.edit(id, JobEdit.nothing().payload(2))).isEqualTo(EditResult.EDITED);
    assertThat(fixture.find(id).payload()).isEqualTo("2");
    assertThat(fixture.summary(id).priority()).isEqualTo(9);

    Instant later = fixture.now().plus(Duration.ofDays(9)).truncatedTo(ChronoUnit.MICROS);
    assertThat(admin.edit(id, JobEdit.nothing().at(later))).isEqualTo(EditResult.EDITED);
    assertThat(fixture.summary(id).scheduledAt()).isEqualTo(later);
    assertThat(fixture.find(id).payload()).isEqualTo("2");
  }

  /** Claims with a low-water mark would not find a job whose due time moves into the past. */
  @Test
  void neverMovesAJobIntoThePast() throws SQLException {
    JobId id = fixture.enqueue(1, job -> job.delay(Duration.ofDays(1)));
    Instant before = fixture.now();

    assertThat(admin.edit(id, JobEdit.nothing().at(Instant.EPOCH))).isEqualTo(EditResult.EDITED);

    assertThat(fixture.summary(id).scheduledAt()).isBetween(before, fixture.now());
    assertThat(fixture.claimOne(LEASE).jobId()).isEqualTo(id);
  }

  @Test
  void changesADeadJobWhichStaysDead() {
    JobId dead = fixture.dead(1).get(0);
    JobDetails before = fixture.find(dead);

    assertThat(admin.edit(dead, JobEdit.nothing().payload(2).delay(Duration.ofHours(1))))
        .isEqualTo(EditResult.NOT_PENDING);
    assertThat(fixture.find(dead)).isEqualTo(before);

    assertThat(admin.edit(dead, JobEdit.nothing().payload(2).priority(9)))
        .isEqualTo(EditResult.EDITED);
    assertThat(fixture.find(dead).payload()).isEqualTo("2");
    assertThat(fixture.summary(dead).priority()).isEqualTo(9);
    assertThat(fixture.statusOf(dead)).isEqualTo(JobStatus.DEAD);
    assertThat(admin.redrive(List.of(dead))).containsExactly(new RedriveResult.Redriven());
  }

  @Test
  void skipsRunningJobs() {
    JobId running = fixture.enqueue(1);
    fixture.claimOne(LEASE);
    JobDetails before = fixture.find(running);

    assertThat(admin.edit(running, JobEdit.nothing().priority(9).payload(2)))
        .isEqualTo(EditResult.NOT_PENDING);

    assertThat(fixture.find(running)).isEqualTo(before);
    assertThat(admin.edit(UNKNOWN, JobEdit.nothing().priority(9))).isEqualTo(EditResult.GONE);
  }

  @Test
  void refusesABadPayload() {
    JobId job = fixture.enqueue(1);

    assertThatThrownBy(() -> admin.edit(job, JobEdit.nothing().priority(9).payload("nul \0")))
        .isInstanceOf(PayloadException.class);
    assertThat(fixture.summary(job).priority()).isZero();
  }

  /** The commands run concurrently, because each retries for a while before it gives up. */
  @Test
  void commandsReportALockedRowAsBusyAndChangeTheOthers() throws Exception {
    List<JobId> dead = fixture.dead(2);
    JobId held = fixture.enqueue(1);
    JobId free = fixture.enqueue(2);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (Connection rival = fixture.hold(held);
        Connection other = fixture.hold(dead.get(0))) {
      assertThat(List.of(rival, other)).hasSize(2);
      Future<EditResult> edit =
          threads.submit(() -> admin.edit(held, JobEdit.nothing().priority(9)));
      Future<List<CancelResult>> cancel = threads.submit(() -> admin.cancel(List.of(held, free)));
      Future<List<RedriveResult>> redrive = threads.submit(() -> admin.redrive(dead));
      Future<List<PruneResult>> prune = threads.submit(() -> admin.prune(dead.subList(0, 1)));

      assertThat(edit.get()).isEqualTo(EditResult.BUSY);
      assertThat(cancel.get()).containsExactly(CancelResult.BUSY, CancelResult.CANCELLED);
      assertThat(redrive.get())
          .containsExactly(new RedriveResult.Busy(), new RedriveResult.Redriven());
      assertThat(prune.get()).containsExactly(PruneResult.BUSY);
    } finally {
      threads.shutdownNow();
    }
    assertThat(fixture.summary(held).priority()).isZero();
  }
}
