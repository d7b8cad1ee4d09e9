package dev.skipjack.testkit;

import static dev.skipjack.testkit.StoreFixture.ERROR;
import static dev.skipjack.testkit.StoreFixture.EXPIRED;
import static dev.skipjack.testkit.StoreFixture.LEASE;
import static dev.skipjack.testkit.StoreFixture.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.Verdict;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A cancelled job ends, unless it completes first. */
abstract class CancelPromises extends Promises {

  @Test
  void archivesAPendingJobImmediately() {
    JobId job = fixture.enqueue(1);

    assertThat(admin.cancel(List.of(job))).containsExactly(CancelResult.CANCELLED);

    JobDetails cancelled = fixture.find(job);
    assertThat(cancelled.summary().status()).isEqualTo(JobStatus.CANCELLED);
    assertThat(cancelled.summary().finishedAt()).isNotNull();
    assertThat(cancelled.currentExecution()).isNull();
    assertThat(cancelled.executions()).isEmpty();
    assertThat(fixture.claim(1)).isEmpty();
  }

  @Test
  void returnsAResultForEachJobInTheOrderOfTheIds() {
    JobId dead = fixture.dead(1).get(0);
    JobId running = fixture.enqueue(1);
    fixture.claimOne(LEASE);
    JobId pending = fixture.enqueue(2);

    assertThat(admin.cancel(List.of(pending, UNKNOWN, running, dead)))
        .containsExactly(
            CancelResult.CANCELLED, CancelResult.GONE, CancelResult.REQUESTED, CancelResult.DEAD);
    assertThat(admin.cancel(List.of(pending, running)))
        .containsExactly(CancelResult.GONE, CancelResult.REQUESTED);
    assertThat(fixture.statusOf(dead)).isEqualTo(JobStatus.DEAD);
    assertThat(admin.cancel(List.of())).isEmpty();
  }

  @Test
  void cancelOfARunningJobOnlyRecordsTheRequest() {
    JobId job = fixture.enqueue(1);
    fixture.claimOne(LEASE);

    admin.cancel(List.of(job));

    assertThat(fixture.statusOf(job)).isEqualTo(JobStatus.RUNNING);
    assertThat(fixture.find(job).cancelRequestedAt()).isNotNull();
    assertThat(store.rescue(Duration.ZERO, 10)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"COMPLETE", "COMPLETE_IN", "COMPLETE_IN_WITH_RESULT", "END_AS_COMPLETED"})
  void cancelHasNoEffectAfterACompletion(AttemptWrite completion) throws SQLException {
    Execution execution = requested(LEASE);

    assertThat(completion.writeOne(fixture, execution)).isEqualTo(Verdict.DONE);

    assertThat(fixture.statusOf(execution.jobId())).isEqualTo(JobStatus.COMPLETED);
    assertThat(fixture.audit(execution.jobId())).containsExactly(ExecutionStatus.SUCCEEDED);
  }

  @ParameterizedTest
  @EnumSource(names = {"FAIL", "FAIL_FOR_GOOD", "SNOOZE", "RELEASE", "END_AS_CANCELLED"})
  void everyOtherEndOfTheAttemptCancelsTheJob(AttemptWrite end) throws SQLException {
    Execution execution = requested(LEASE);

    assertThat(end.writeOne(fixture, execution)).isEqualTo(Verdict.DONE);

    assertThat(fixture.statusOf(execution.jobId())).isEqualTo(JobStatus.CANCELLED);
    assertThat(fixture.audit(execution.jobId())).containsExactly(ExecutionStatus.CANCELLED);
    assertThat(fixture.find(execution.jobId()).currentExecution()).isEqualTo(execution.id());
  }

  @Test
  void aJobWhoseLeaseIsLostIsCancelled() {
    Execution execution = requested(EXPIRED);

    assertThat(store.rescue(Duration.ZERO, 10))
        .containsExactly(new Rescued(execution, "default", "work", JobStatus.CANCELLED));

    assertThat(fixture.statusOf(execution.jobId())).isEqualTo(JobStatus.CANCELLED);
    assertThat(fixture.audit(execution.jobId())).containsExactly(ExecutionStatus.CANCELLED);
  }

  @Test
  void isReportedToTheWorkerAndKeepsTheReasonOfTheFailure() {
    Execution cancelled = requested(LEASE);
    fixture.enqueue(2);
    Execution other = fixture.claimOne(LEASE);

    assertThat(fixture.fail(List.of(other, cancelled), false))
        .containsExactly(
            new Ended(Verdict.DONE, JobStatus.PENDING),
            new Ended(Verdict.DONE, JobStatus.CANCELLED));

    assertThat(fixture.find(cancelled.jobId()).executions())
        .extracting(JobExecution::error)
        .containsExactly(ERROR);
  }

  @ParameterizedTest
  @EnumSource(names = {"FAIL", "SNOOZE"})
  void jobIsDeletedIfItsQueueKeepsNoArchive(AttemptWrite end) throws SQLException {
    admin.configure("default", QueueSettings.defaults().noArchive());
    Execution execution = requested(LEASE);
    JobId pending = fixture.enqueue(2);

    assertThat(end.writeOne(fixture, execution)).isEqualTo(Verdict.DONE);
    assertThat(admin.cancel(List.of(pending))).containsExactly(CancelResult.CANCELLED);

    assertThat(reader.find(execution.jobId())).isEmpty();
    assertThat(reader.find(pending)).isEmpty();
  }

  /** Creates a running job, requests its cancellation, and returns its execution. */
  private Execution requested(Duration lease) {
    fixture.enqueue(1);
    Execution execution = fixture.claimOne(lease);
    assertThat(admin.cancel(List.of(execution.jobId()))).containsExactly(CancelResult.REQUESTED);
    return execution;
  }
}
