package dev.skipjack.testkit;

import static dev.skipjack.testkit.StoreFixture.ERROR;
import static dev.skipjack.testkit.StoreFixture.EXPIRED;
import static dev.skipjack.testkit.StoreFixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.HandOver;
import dev.skipjack.api.spi.HandedOver;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Verdict;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Heartbeat, progress, complete, endWithData, fail and requeue change the job and the audit as
 * documented.
 */
abstract class OutcomePromises extends Promises {

  private static final Ended PENDING = new Ended(Verdict.DONE, JobStatus.PENDING);
  private static final Ended DEAD = new Ended(Verdict.DONE, JobStatus.DEAD);

  @Nested
  class Heartbeat {

    @Test
    void extendsTheLeaseFromNowByTheDatabasesClock() throws SQLException {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(Duration.ofMinutes(1));
      Instant before = fixture.now();

      assertThat(store.heartbeat(List.of(execution), Duration.ofHours(2)))
          .containsExactly(new Renewal(Verdict.DONE, false));

      assertThat(fixture.find(execution.jobId()).leaseExpiresAt())
          .isBetween(before.plus(Duration.ofHours(2)), fixture.now().plus(Duration.ofHours(2)));
    }

    @Test
    void renewsAnExpiredLeaseUntilTheJobIsRescued() {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(EXPIRED);

      store.heartbeat(List.of(execution), LEASE);

      assertThat(store.rescue(Duration.ZERO, 10)).isEmpty();
      assertThat(store.complete(List.of(execution))).containsExactly(Verdict.DONE);
    }

    @Test
    void returnsTheExecutionsWhoseJobsMustBeCancelled() {
      fixture.enqueueMany(2);
      List<Execution> executions = fixture.claimExecutions(2);
      admin.cancel(List.of(executions.get(1).jobId()));

      assertThat(store.heartbeat(executions, LEASE))
          .containsExactly(new Renewal(Verdict.DONE, false), new Renewal(Verdict.DONE, true));
    }

    @Test
    void returnsTheExecutionThatHoldsALostJob() {
      Execution zombie = fixture.rescuedExecution();
      assertThat(store.heartbeat(List.of(zombie), LEASE))
          .as("it waits")
          .containsExactly(new Renewal(Verdict.LOST, false, true, null));

      Execution owner = fixture.claimOne(LEASE);
      assertThat(store.heartbeat(List.of(zombie), LEASE))
          .as("another execution owns it")
          .containsExactly(new Renewal(Verdict.LOST, false, true, owner.id()));

      store.complete(List.of(owner));
      assertThat(store.heartbeat(List.of(zombie, owner), LEASE))
          .as("it has ended")
          .containsOnly(new Renewal(Verdict.LOST, false, false, null));
    }
  }

  @Nested
  class Statuses {

    @Test
    void statusesAreThoseOfTheAuditRows() {
      Execution zombie = fixture.rescuedExecution();
      Execution owner = fixture.claimOne(LEASE);
      Execution unknown =
          new Execution(owner.jobId(), new ExecutionId(Long.MAX_VALUE), owner.startedAt());
      assertThat(store.statuses(List.of(owner, unknown, zombie)))
          .containsExactly(
              Optional.of(ExecutionStatus.RUNNING),
              Optional.empty(),
              Optional.of(ExecutionStatus.LOST));

      store.complete(List.of(owner));

      assertThat(store.statuses(List.of(zombie, owner)))
          .containsExactly(
              Optional.of(ExecutionStatus.LOST), Optional.of(ExecutionStatus.SUCCEEDED));
      assertThat(store.statuses(List.of())).isEmpty();
    }
  }

  @Nested
  class Reports {

    @Test
    void reportsAreReadWithTheTimeOfTheDatabase() throws SQLException {
      fixture.enqueueMany(2);
      List<Execution> executions = fixture.claimExecutions(2);
      Instant before = fixture.now();

      assertThat(
              store.progress(
                  List.of(
                      new Progress(executions.get(1), 100, null),
                      new Progress(executions.get(0), 0, "reads \"a\""))))
          .containsOnly(Verdict.DONE);

      String first = Objects.requireNonNull(fixture.find(executions.get(0).jobId()).progress());
      assertThat(first).contains("\"percent\": 0").contains("\"message\": \"reads \\\"a\\\"\"");
      assertThat(timeOf(first)).isBetween(before, fixture.now());
      assertThat(fixture.find(executions.get(1).jobId()).progress())
          .contains("\"percent\": 100")
          .doesNotContain("message");
    }

    @Test
    void reportsChangeNothingElse() {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(LEASE);
      JobDetails before = fixture.find(execution.jobId());

      store.progress(List.of(new Progress(execution, 42, "half way")));

      JobDetails after = fixture.find(execution.jobId());
      assertThat(after.summary()).isEqualTo(before.summary());
      assertThat(after.leaseExpiresAt()).isEqualTo(before.leaseExpiresAt());
      assertThat(after.executions()).isEqualTo(before.executions());
    }

    @Test
    void reportsReplaceEarlierOnesAndStayForTheNextAttempt() {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(LEASE);
      store.progress(List.of(new Progress(execution, 10, "a")));
      store.progress(List.of(new Progress(execution, 20, "b")));
      fixture.fail(List.of(execution), false);

      Execution next = fixture.claimOne(LEASE);

      assertThat(fixture.find(next.jobId()).progress())
          .contains("\"percent\": 20")
          .contains("\"b\"")
          .doesNotContain("\"a\"");
    }

    @Test
    void reportsOfALostLeaseAreNotRead() {
      for (boolean ownerFirst : List.of(true, false)) {
        String queue = ownerFirst ? "first" : "last";
        Progress zombie = new Progress(fixture.rescuedExecutionOf(queue), 1, "zombie");
        Progress owner = new Progress(fixture.claimFrom(queue, LEASE), 2, "owner");

        assertThat(store.progress(ownerFirst ? List.of(owner, zombie) : List.of(zombie, owner)))
            .containsExactlyInAnyOrder(Verdict.DONE, Verdict.LOST);

        assertThat(fixture.find(owner.execution().jobId()).progress()).contains("owner");
      }
    }

    @Test
    void reportsTakeAnyMessage() {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(LEASE);
      String hostile = "nul \0 high \uD800 low \uDC00 ' \" \\ " + "x".repeat(100_000);

      assertThat(store.progress(List.of(new Progress(execution, 1, hostile))))
          .containsExactly(Verdict.DONE);

      assertThat(Objects.requireNonNull(fixture.find(execution.jobId()).progress()))
          .contains("nul")
          .hasSizeLessThan(1_000);
    }

    private Instant timeOf(String progress) {
      Matcher at = Pattern.compile("\"at\": \"([^\"]+)\"").matcher(progress);
      assertThat(at.find()).as(progress).isTrue();
      return OffsetDateTime.parse(at.group(1)).toInstant();
    }
  }

  @Nested
  class Complete {

    @Test
    void completedJobIsMovedToTheArchiveWithItsHistory() throws SQLException {
      JobId id = fixture.enqueue(7, job -> job.priority(0).tags("vip"));
      Execution execution = fixture.claimOne(LEASE);
      Instant before = fixture.now();

      assertThat(store.complete(List.of(execution))).containsExactly(Verdict.DONE);

      JobDetails job = fixture.find(id);
      assertThat(job.payload()).isEqualTo("7");
      assertThat(job.currentExecution()).isEqualTo(execution.id());
      JobSummary summary = job.summary();
      assertThat(summary.status()).isEqualTo(JobStatus.COMPLETED);
      assertThat(summary.finishedAt()).isBetween(before, fixture.now());
      assertThat(summary.tags()).containsExactly("vip");
      assertThat(job.executions())
          .singleElement()
          .satisfies(
              attempt -> {
                assertThat(attempt.status()).isEqualTo(ExecutionStatus.SUCCEEDED);
                assertThat(attempt.finishedAt()).isAfterOrEqualTo(attempt.startedAt());
              });
    }

    @Test
    void jobIsDeletedIfItsQueueKeepsNoArchive() {
      admin.configure("default", QueueSettings.defaults().noArchive());
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(LEASE);

      assertThat(store.complete(List.of(execution))).containsExactly(Verdict.DONE);

      assertThat(reader.find(execution.jobId())).isEmpty();
    }
  }

  @Nested
  class HandsOver {

    @Test
    void completesAJobWithoutAnOrderingKeyAndClaimsNothing() {
      fixture.enqueueMany(2);
      Execution execution = fixture.claimOne(LEASE);

      assertThat(store.handOver(request(execution))).isEqualTo(new HandedOver(Verdict.DONE, null));

      assertThat(fixture.statusOf(execution.jobId())).isEqualTo(JobStatus.COMPLETED);
      assertThat(fixture.claim(2)).as("the other job").hasSize(1);
    }

    @Test
    void handOverIsFenced() {
      Execution zombie = fixture.rescuedExecution();
      Execution owner = fixture.claimOne(LEASE);

      assertThat(store.handOver(request(zombie))).isEqualTo(new HandedOver(Verdict.LOST, null));

      assertThat(store.complete(List.of(owner))).containsExactly(Verdict.DONE);
    }

    private HandOver request(Execution execution) {
      return new HandOver(
          execution,
          new Lane("default", 0),
          WorkerId.boot("contract"),
          List.of(AttemptFixture.WORK.kind()),
          1_000,
          LEASE);
    }
  }

  @Nested
  class EndWithData {

    @Test
    void keepsTheResultInTheArchive() throws SQLException {
      JobId id = fixture.enqueue(7);
      fixture.fail(List.of(fixture.claimOne(LEASE)), false);
      Execution execution = fixture.claimOne(LEASE);
      Instant before = fixture.now();

      assertThat(
              store.endWithData(List.of(FinalOutcome.completed(execution, "{\"rows\": [1, 2]}"))))
          .containsExactly(Verdict.DONE);

      JobDetails job = fixture.find(id);
      assertThat(job.result()).isEqualTo("{\"rows\": [1, 2]}");
      assertThat(job.payload()).isEqualTo("7");
      assertThat(job.currentExecution()).isEqualTo(execution.id());
      assertThat(job.summary().status()).isEqualTo(JobStatus.COMPLETED);
      assertThat(job.summary().finishedAt()).isBetween(before, fixture.now());
      assertThat(job.summary().lastError()).as("of the earlier attempt").isEqualTo("no luck");
      assertThat(fixture.audit(id))
          .containsExactly(ExecutionStatus.FAILED, ExecutionStatus.SUCCEEDED);
      assertThat(job.executions().get(1).error()).isNull();
    }

    @Test
    void reasonOfAJobThatItsHandlerCancelsIsKept() throws SQLException {
      JobId id = fixture.enqueue(1);
      Execution execution = fixture.claimOne(LEASE);

      assertThat(store.endWithData(List.of(FinalOutcome.cancelled(execution, "customer left"))))
          .containsExactly(Verdict.DONE);

      JobDetails job = fixture.find(id);
      assertThat(job.result()).isNull();
      assertThat(job.summary().status()).isEqualTo(JobStatus.CANCELLED);
      assertThat(job.summary().lastError()).isEqualTo("customer left");
      assertThat(fixture.audit(id)).containsExactly(ExecutionStatus.CANCELLED);
      assertThat(job.executions().get(0).error()).isEqualTo(JobError.of("customer left"));
      assertThat(job.executions().get(0).finishedAt()).isNotNull();
    }

    @Test
    void endWithoutAReasonKeepsTheLastError() {
      fixture.enqueueMany(2);
      fixture.fail(fixture.claimExecutions(2), false);
      List<Execution> executions = fixture.claimExecutions(2);

      assertThat(
              store.endWithData(
                  List.of(
                      FinalOutcome.completed(executions.get(0), null),
                      FinalOutcome.cancelled(executions.get(1), null))))
          .containsOnly(Verdict.DONE);

      for (Execution execution : executions) {
        assertThat(fixture.find(execution.jobId()).result()).isNull();
        assertThat(fixture.summary(execution.jobId()).lastError()).isEqualTo("no luck");
      }
      assertThat(fixture.statusOf(executions.get(0).jobId())).isEqualTo(JobStatus.COMPLETED);
      assertThat(fixture.statusOf(executions.get(1).jobId())).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void batchKeepsTheValuesOfEachJob() {
      fixture.enqueueMany(3);
      List<Execution> executions = fixture.claimExecutions(3);

      assertThat(
              store.endWithData(
                  List.of(
                      FinalOutcome.completed(executions.get(2), "2"),
                      FinalOutcome.cancelled(executions.get(1), "reason"),
                      FinalOutcome.completed(executions.get(0), "0"))))
          .containsOnly(Verdict.DONE);

      assertThat(fixture.find(executions.get(0).jobId()).result()).isEqualTo("0");
      assertThat(fixture.summary(executions.get(1).jobId()).lastError()).isEqualTo("reason");
      assertThat(fixture.find(executions.get(2).jobId()).result()).isEqualTo("2");
    }

    @Test
    void takesAnyReason() {
      JobId id = fixture.enqueue(1);
      String hostile = "nul \0 high \uD800 low \uDC00 " + "x".repeat(100_000);

      assertThat(
              store.endWithData(List.of(FinalOutcome.cancelled(fixture.claimOne(LEASE), hostile))))
          .containsExactly(Verdict.DONE);

      assertThat(fixture.summary(id).lastError()).isEqualTo(JobError.of(hostile).message());
    }

    /**
     * An execution that has lost its lease must not overwrite the outcome of the one that owns the
     * job.
     */
    @Test
    void keepsTheReasonOfTheExecutionThatOwnsTheJob() {
      for (boolean ownerFirst : List.of(true, false)) {
        String queue = ownerFirst ? "first" : "last";
        FinalOutcome zombie = FinalOutcome.cancelled(fixture.rescuedExecutionOf(queue), "zombie");
        FinalOutcome owner = FinalOutcome.completed(fixture.claimFrom(queue, LEASE), "1");

        assertThat(store.endWithData(ownerFirst ? List.of(owner, zombie) : List.of(zombie, owner)))
            .containsExactlyInAnyOrder(Verdict.DONE, Verdict.LOST);

        JobDetails job = fixture.find(owner.execution().jobId());
        assertThat(job.summary().status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.result()).isEqualTo("1");
        assertThat(fixture.audit(job.summary().id()))
            .containsExactly(ExecutionStatus.LOST, ExecutionStatus.SUCCEEDED);
      }
    }

    /**
     * An invalid result, which a codec should never return, must not cause the results of other
     * jobs to be lost.
     */
    @Test
    void changesNothingIfAResultIsNoJson() {
      fixture.enqueueMany(2);
      List<Execution> executions = fixture.claimExecutions(2);

      assertThatThrownBy(
              () ->
                  store.endWithData(
                      List.of(
                          FinalOutcome.completed(executions.get(0), "1"),
                          FinalOutcome.completed(executions.get(1), "{"))))
          .isInstanceOf(StoreException.class);

      assertThat(store.complete(executions)).containsOnly(Verdict.DONE);
    }

    @Test
    void jobIsDeletedIfItsQueueKeepsNoArchive() {
      admin.configure("default", QueueSettings.defaults().noArchive());
      fixture.enqueueMany(2);
      List<Execution> executions = fixture.claimExecutions(2);

      assertThat(
              store.endWithData(
                  List.of(
                      FinalOutcome.completed(executions.get(0), "1"),
                      FinalOutcome.cancelled(executions.get(1), "no use"))))
          .containsOnly(Verdict.DONE);

      assertThat(reader.find(executions.get(0).jobId())).isEmpty();
      assertThat(reader.find(executions.get(1).jobId())).isEmpty();
    }
  }

  @Nested
  class Fail {

    @Test
    void failedJobIsPendingAfterItsDelayWithTheReason() throws SQLException {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(LEASE);
      Instant due = fixture.now().plus(Duration.ofMinutes(5));

      assertThat(store.fail(List.of(new Failure(execution, ERROR, Duration.ofMinutes(5), false))))
          .containsExactly(PENDING);

      JobDetails job = fixture.find(execution.jobId());
      assertThat(job.summary().scheduledAt())
          .isBetween(due, fixture.now().plus(Duration.ofMinutes(5)));
      assertThat(job.summary().lastError()).isEqualTo("no luck");
      assertThat(job.currentExecution()).isNull();
      assertThat(job.leaseExpiresAt()).isNull();
      assertThat(job.executions()).extracting(JobExecution::error).containsExactly(ERROR);
      assertThat(fixture.claim(1)).isEmpty();
    }

    @Test
    void failedJobIsDeadWhenItsAttemptsAreUsedUp() {
      JobId id = fixture.enqueue(1);
      for (int attempt = 1; attempt <= 3; attempt++) {
        assertThat(fixture.fail(List.of(fixture.claimOne(LEASE)), false))
            .containsExactly(attempt == 3 ? DEAD : PENDING);
      }
      assertThat(fixture.summary(id).diedAt()).isNotNull();
      assertThat(fixture.audit(id))
          .containsExactly(ExecutionStatus.FAILED, ExecutionStatus.FAILED, ExecutionStatus.DEAD);
      assertThat(fixture.claim(1)).isEmpty();
    }

    @Test
    void failedJobIsDeadImmediatelyIfTheFailureIsFinal() {
      JobId id = fixture.enqueue(1);

      assertThat(fixture.fail(List.of(fixture.claimOne(LEASE)), true)).containsExactly(DEAD);

      assertThat(fixture.statusOf(id)).isEqualTo(JobStatus.DEAD);
      assertThat(fixture.audit(id)).containsExactly(ExecutionStatus.DEAD);
    }

    @Test
    void batchKeepsTheReasonDelayAndEndOfEachJob() {
      fixture.enqueueMany(2);
      List<Execution> executions = fixture.claimExecutions(2);

      assertThat(
              store.fail(
                  List.of(
                      new Failure(executions.get(1), JobError.of("b"), Duration.ofDays(1), false),
                      new Failure(executions.get(0), JobError.of("a"), Duration.ZERO, true))))
          .containsExactly(PENDING, DEAD);

      assertThat(fixture.summary(executions.get(0).jobId()).lastError()).isEqualTo("a");
      assertThat(fixture.summary(executions.get(1).jobId()).lastError()).isEqualTo("b");
    }

    @Test
    void takesAnyTextAndAnyDelay() throws SQLException {
      fixture.enqueue(1);
      Execution execution = fixture.claimOne(LEASE);
      JobError hostile =
          new JobError("c\0", "nul \0 high \uD800 low \uDC00 " + "x".repeat(100_000), "s\0");

      assertThat(
              store.fail(
                  List.of(
                      new Failure(execution, hostile, Duration.ofSeconds(Long.MAX_VALUE), false))))
          .containsExactly(PENDING);

      assertThat(fixture.summary(execution.jobId()).scheduledAt())
          .isBeforeOrEqualTo(fixture.now().plus(Backoff.LONGEST));
      assertThat(fixture.find(execution.jobId()).executions().get(0).error()).isEqualTo(hostile);
    }
  }

  @Nested
  class Requeued {

    @Test
    void requeuedJobIsDueAfterItsDelayOrImmediately() throws SQLException {
      fixture.enqueueMany(2);
      List<Execution> executions = fixture.claimExecutions(2);
      Instant before = fixture.now();

      assertThat(
              store.requeue(
                  List.of(
                      new Requeue(executions.get(0), ExecutionStatus.SNOOZED, Duration.ofHours(1)),
                      new Requeue(executions.get(1), ExecutionStatus.RELEASED, Duration.ZERO))))
          .containsExactly(PENDING, PENDING);

      Instant after = fixture.now();
      assertThat(fixture.summary(executions.get(0).jobId()).scheduledAt())
          .isBetween(before.plus(Duration.ofHours(1)), after.plus(Duration.ofHours(1)));
      assertThat(fixture.summary(executions.get(1).jobId()).scheduledAt()).isBetween(before, after);
      assertThat(fixture.claim(2))
          .extracting(job -> job.execution().jobId())
          .containsExactly(executions.get(1).jobId());
    }

    @Test
    void requeuedJobIsDueAtTheRequestedInstantByTheDatabasesClock() throws SQLException {
      fixture.enqueueMany(4);
      List<Execution> executions = fixture.claimExecutions(4);
      Instant before = fixture.now();
      Instant later = before.plus(Duration.ofHours(3)).truncatedTo(ChronoUnit.MICROS);

      assertThat(
              store.requeue(
                  List.of(
                      snoozed(executions.get(0), later),
                      snoozed(executions.get(1), before.minus(Duration.ofDays(1))),
                      snoozed(executions.get(2), Instant.MAX),
                      snoozed(executions.get(3), Instant.MIN))))
          .containsOnly(PENDING);

      Instant after = fixture.now();
      assertThat(fixture.summary(executions.get(0).jobId()).scheduledAt()).isEqualTo(later);
      assertThat(fixture.summary(executions.get(1).jobId()).scheduledAt()).isBetween(before, after);
      assertThat(fixture.summary(executions.get(2).jobId()).scheduledAt())
          .isEqualTo(EnqueueOptions.LATEST);
      assertThat(fixture.summary(executions.get(3).jobId()).scheduledAt()).isBetween(before, after);
    }

    /** A job that never started must stay ahead of jobs that became due after it. */
    @Test
    void aReleasedJobIsDueAtTheGivenInstantEvenIfItIsPast() throws SQLException {
      JobId first = fixture.enqueue(1);
      ClaimedJob claimed = fixture.claim(1).get(0);
      JobId second = fixture.enqueue(1);

      assertThat(
              store.requeue(
                  List.of(
                      Requeue.until(
                          claimed.execution(), ExecutionStatus.RELEASED, claimed.scheduledAt()))))
          .containsExactly(PENDING);

      assertThat(fixture.summary(first).scheduledAt()).isEqualTo(claimed.scheduledAt());
      assertThat(fixture.claim(2))
          .extracting(job -> job.execution().jobId())
          .containsExactly(first, second);
    }

    private Requeue snoozed(Execution execution, Instant until) {
      return Requeue.until(execution, ExecutionStatus.SNOOZED, until);
    }

    @ParameterizedTest
    @EnumSource(names = {"SNOOZE", "RELEASE"})
    void requeuingNeverUsesAnAttempt(AttemptWrite write) throws SQLException {
      JobId id = fixture.enqueue(1);
      for (int i = 0; i < 5; i++) {
        write.writeOne(fixture, fixture.claimOne(LEASE));
      }

      JobSummary job = fixture.summary(id);
      assertThat(job.attempts()).isEqualTo(5);
      assertThat(job.uncountedAttempts()).isEqualTo(5);
      ClaimedJob next = fixture.claim(1).get(0);
      assertThat(next.attempt()).isEqualTo(1);
      assertThat(next.uncountedAttempts()).isEqualTo(5);
      assertThat(fixture.fail(List.of(next.execution()), false)).containsExactly(PENDING);
      assertThat(fixture.summary(id).usedAttempts()).isEqualTo(1);
    }
  }

  @Nested
  class Audit {

    /**
     * The number of attempts of a job equals the number of its audit rows, which are numbered from
     * one.
     */
    @Test
    void auditHasOneRowForEachAttempt() throws SQLException {
      JobId id = fixture.enqueue(1, job -> job.maxAttempts(4));
      List<ExecutionStatus> expected = new ArrayList<>();
      for (AttemptWrite write :
          List.of(
              AttemptWrite.FAIL, AttemptWrite.SNOOZE, AttemptWrite.RELEASE, AttemptWrite.FAIL)) {
        write.writeOne(fixture, fixture.claimOne(LEASE));
        expected.add(write.auditSays());
      }
      fixture.claimOne(EXPIRED);
      store.rescue(Duration.ZERO, 10);
      expected.add(ExecutionStatus.LOST);
      fixture.fail(List.of(fixture.claimOne(LEASE)), false);
      expected.add(ExecutionStatus.DEAD);
      assertAudit(id, JobStatus.DEAD, expected);

      admin.redrive(List.of(id));
      store.complete(List.of(fixture.claimOne(LEASE)));
      expected.add(ExecutionStatus.SUCCEEDED);
      assertAudit(id, JobStatus.COMPLETED, expected);
    }

    private void assertAudit(JobId id, JobStatus status, List<ExecutionStatus> expected) {
      JobDetails job = fixture.find(id);
      assertThat(job.summary().status()).isEqualTo(status);
      assertThat(job.summary().attempts()).isEqualTo(expected.size());
      assertThat(fixture.audit(id)).isEqualTo(expected);
      for (int i = 0; i < expected.size(); i++) {
        assertThat(job.executions().get(i).attempt()).isEqualTo(i + 1);
        assertThat(job.executions().get(i).finishedAt()).isNotNull();
      }
    }
  }
}
