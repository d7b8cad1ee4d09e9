package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.torture.FinalRead.EffectRow;
import dev.skipjack.torture.FinalRead.ExecutionRow;
import dev.skipjack.torture.FinalRead.JobRow;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests each rule alone: one change to a correct history causes one violation. */
class CheckerRulesTest {

  private final MadeUpRun run = new MadeUpRun();

  /** Job 7 fails once, then completes. */
  @BeforeEach
  void addCorrectHistory() {
    run.acknowledged("a", 7);
    run.event(3, EventType.STARTED, "a", 7, 70, "");
    run.event(5, EventType.ACCEPTED, Event.NONE, 7, 70, "failed");
    run.event(9, EventType.STARTED, "a", 7, 71, "");
    run.event(10, EventType.ACCEPTED, Event.NONE, 7, 71, "succeeded");
    run.attempt(70, 7, 1, "failed", 3, 4);
    run.attempt(71, 7, 2, "succeeded", 9, 10);
    run.job(7, "completed", "a", "", 2, 71);
    run.keys.add(7L);
    assertThat(run.violations()).isEmpty();
  }

  private void assertFound(Counter counter, String what) {
    assertThat(run.violations())
        .anySatisfy(
            found -> {
              assertThat(found.counter()).isEqualTo(counter);
              assertThat(found.what()).isEqualTo(what);
            });
  }

  private void assertOnly(Counter counter, String what) {
    assertFound(counter, what);
    assertThat(run.violations()).hasSize(1);
  }

  private void replaceJob(String status, Workload workload, int attempts, long execution) {
    run.jobs.clear();
    run.job(7, status, workload, "a", "", attempts, execution);
  }

  @Test
  void anIdempotencyKeyMustReferToAJob() {
    run.keys.add(8L);
    assertOnly(Counter.LOST, "An idempotency key refers to a job that does not exist.");
  }

  @Test
  void aCommittedEffectMustExistAndBelongToItsAttempt() {
    run.event(10, EventType.COMMITTED, "a", 7, 71, "");
    assertOnly(Counter.LOST, "A committed effect is missing.");

    run.effects.add(new EffectRow("a", 7, 71));
    assertThat(run.violations()).isEmpty();

    run.effects.set(0, new EffectRow("a", 7, 70));
    assertFound(Counter.LOST, "A committed effect is missing.");
    assertFound(
        Counter.STALE_ACCEPTED, "An effect was committed by an attempt that did not own the job.");
  }

  @Test
  void aCompletedEffectJobMustHaveItsEffect() {
    replaceJob("completed", Workload.EFFECT, 2, 71);
    assertOnly(Counter.LOST, "The job is completed, but its effect is missing.");
  }

  @Test
  void aJobMustBeRequestedAndARequestCreatesOneJob() {
    run.attempt(80, 8, 1, "succeeded", 9, 10);
    run.job(8, "completed", "unrequested", "", 1, 80);
    assertOnly(Counter.UNEXPECTED, "The job was not requested.");

    run.jobs.remove(1);
    run.job(8, "completed", "a", "", 1, 80);
    assertOnly(Counter.UNEXPECTED, "One request created several jobs.");
  }

  @Test
  void aCancelMustBeRequested() {
    replaceJob("cancelled", Workload.PLAIN, 2, 0);
    run.executions.remove(1);
    run.attempt(71, 7, 2, "cancelled", 9, 10);
    run.history.remove(run.history.size() - 1);
    assertOnly(Counter.UNEXPECTED, "The job was cancelled without a request.");

    run.event(8, EventType.CANCEL_REQUESTED, Event.NONE, 7, 0, "");
    assertThat(run.violations()).isEmpty();
  }

  @Test
  void noAttemptStartsAfterACancelReturned() {
    run.event(5, EventType.CANCEL_REQUESTED, Event.NONE, 7, 0, "");
    run.event(6, EventType.CANCEL_RETURNED, Event.NONE, 7, 0, "REQUESTED");
    assertOnly(Counter.UNEXPECTED, "An attempt started after the cancel had returned.");
  }

  @Test
  void anAcceptedCancelLeavesNoLiveJobAndARefusedOneProvesNothing() {
    run.event(9.1, EventType.CANCEL_REQUESTED, Event.NONE, 7, 0, "");
    run.event(9.2, EventType.CANCEL_RETURNED, Event.NONE, 7, 0, "REQUESTED");
    run.executions.remove(1);
    run.attempt(71, 7, 2, "dead", 9, 10);
    run.history.remove(5);
    run.jobs.set(0, row("dead", 5, 3, 71));
    for (int n = 3; n <= MadeUpRun.MAX_ATTEMPTS; n++) {
      run.attempt(70 + n, 7, n, "failed", 9.1, 9.1);
    }
    run.executions.sort((a, b) -> Long.compare(a.id(), b.id()));
    assertFound(Counter.UNEXPECTED, "The cancel was accepted, but the job is dead.");

    run.history.removeIf(event -> event.type() == EventType.CANCEL_RETURNED);
    run.event(9.2, EventType.CANCEL_RETURNED, Event.NONE, 7, 0, "BUSY");
    assertThat(run.violations())
        .noneMatch(found -> found.what().startsWith("The cancel was accepted, but"));
  }

  @Test
  void aCancelIsRefusedAsGoneOnlyAfterTheJobEnded() {
    run.event(10, EventType.CANCEL_REQUESTED, Event.NONE, 7, 0, "");
    run.event(10, EventType.CANCEL_RETURNED, Event.NONE, 7, 0, "GONE");
    assertThat(run.violations()).isEmpty();
    run.history.remove(run.history.size() - 1);

    String what = "The cancel was refused as GONE, but the job was live.";
    run.event(9.9, EventType.CANCEL_RETURNED, Event.NONE, 7, 0, "GONE");
    assertOnly(Counter.UNEXPECTED, what);
    run.clockError = 200_000;
    assertThat(run.violations()).isEmpty();

    run.history.removeIf(event -> event.type() == EventType.CANCEL_RETURNED);
    run.event(12, EventType.CANCEL_RETURNED, Event.NONE, 7, 0, "GONE");
    run.jobs.set(0, row("dead", 2, 0, 71));
    assertFound(Counter.UNEXPECTED, what);
  }

  @Test
  void theEndOfAJobIsComparedWithoutAllowanceForClocks() {
    run.clockError = MadeUpRun.SECOND; // does not matter, because both times are the database's
    noAttemptStartsAfterTheEndOfItsJob();
  }

  private static JobRow row(String status, int attempts, int uncountedAttempts, long execution) {
    return new JobRow(
        7,
        status,
        false,
        "a",
        Workload.PLAIN.name(),
        "",
        "",
        attempts,
        uncountedAttempts,
        MadeUpRun.MAX_ATTEMPTS,
        MadeUpRun.SECOND,
        0,
        execution,
        0,
        MadeUpRun.NO_CONTENT);
  }

  @Test
  void twoAcceptedCompletionsAreADoubleCompletion() {
    run.event(10, EventType.ACCEPTED, Event.NONE, 7, 71, "succeeded");
    assertThat(run.violations()).isEmpty(); // the same completion, reported twice

    run.event(10, EventType.ACCEPTED, Event.NONE, 7, 70, "succeeded");
    assertFound(Counter.DOUBLE_COMPLETED, "Two completions were accepted.");
  }

  @Test
  void twoSucceededAttemptsAreADoubleCompletion() {
    run.executions.remove(0);
    run.attempt(70, 7, 1, "succeeded", 3, 4);
    assertOnly(Counter.DOUBLE_COMPLETED, "Several attempts completed the job.");
  }

  @Test
  void aJobExistsOnce() {
    run.jobs.add(row("running", 2, 0, 71));
    assertOnly(Counter.DOUBLE_COMPLETED, "The job exists more than once.");
  }

  @Test
  void anAcceptedOutcomeMustBeInTheAuditAndItsRowClosed() {
    run.event(10, EventType.ACCEPTED, Event.NONE, 7, 72, "failed");
    assertOnly(
        Counter.AUDIT_GAPS, "An outcome was accepted from an attempt that is not in the audit.");
    run.history.remove(run.history.size() - 1);

    run.executions.remove(0);
    run.attempt(70, 7, 1, "running", 3, 0);
    assertFound(Counter.LOST, "An accepted outcome is missing.");
    assertFound(Counter.AUDIT_GAPS, "The job is not running, but an audit row is open.");
  }

  @Test
  void anAcceptedSuccessMustBeASuccessInTheAudit() {
    run.executions.set(
        0, new ExecutionRow(70, 7, 1, "failed", 3_000_000, 4_000_000, "worker-1", ""));
    assertThat(run.violations()).isEmpty();

    run.event(5, EventType.ACCEPTED, Event.NONE, 7, 70, "succeeded");
    assertFound(Counter.LOST, "A success was accepted, but the audit does not show it.");
  }

  @Test
  void aSucceededAttemptMustEndItsJob() {
    run.jobs.set(0, row("pending", 2, 0, 0));
    assertFound(Counter.LOST, "An attempt succeeded, but the job is pending.");

    run.executions.remove(1);
    run.attempt(71, 7, 2, "released", 9, 10);
    assertThat(run.violations()).noneMatch(found -> found.what().startsWith("An attempt succ"));
  }

  @Test
  void anEventMustNameTheJobOfItsAttempt() {
    run.acknowledged("b", 8);
    run.job(8, "completed", "b", "", 1, 80);
    run.attempt(80, 8, 1, "succeeded", 3, 4);
    assertThat(run.violations()).isEmpty();

    run.event(3, EventType.STARTED, "a", 7, 80, "");
    assertOnly(Counter.AUDIT_GAPS, "A handler ran for an attempt that is not in the audit.");
    run.history.remove(run.history.size() - 1);

    run.event(4, EventType.ACCEPTED, Event.NONE, 7, 80, "failed");
    assertOnly(
        Counter.AUDIT_GAPS, "An outcome was accepted from an attempt that is not in the audit.");
  }

  @Test
  void aProcessMustNotExitOnItsOwn() {
    run.event(4, EventType.EXITED, Event.NONE, 0, 0, "1");
    assertOnly(Counter.UNEXPECTED, "worker-1 exited on its own with code 1.");
  }

  @Test
  void aRescueMustNotComeBeforeTheRenewedLeaseExpires() {
    run.fault("commit-cut", Event.ALL, 5.4, 5.5);
    run.history.removeIf(event -> event.execution() == 70);
    run.executions.set(0, new ExecutionRow(70, 7, 1, "lost", 3_000_000, 7_000_000, "worker-1", ""));
    run.event(5, EventType.LEASE_EXTENDED, Event.NONE, 7, 70, "4000000");
    run.event(5.5, EventType.LEASE_EXTENDED, Event.NONE, 7, 70, "3900000");
    assertThat(run.violations()).isEmpty();

    run.event(6, EventType.LEASE_EXTENDED, Event.NONE, 7, 70, "4000001");
    assertOnly(Counter.OVERLAPPING_LEASES, "The job was rescued before its lease had expired.");
  }

  @Test
  void aDoomedJobMustNotComplete() {
    replaceJob("completed", Workload.DOOMED, 2, 71);
    assertOnly(Counter.UNEXPECTED, "A job whose attempts all fail is completed.");
  }

  @Test
  void aJobMustNotExceedItsAttempts() {
    replaceJob("completed", Workload.PLAIN, 6, 71);
    assertFound(Counter.UNEXPECTED, "The job used more attempts than allowed.");

    replaceJob("completed", Workload.PLAIN, MadeUpRun.MAX_ATTEMPTS, 71);
    assertThat(run.violations()).noneMatch(found -> found.counter() == Counter.UNEXPECTED);
  }

  @Test
  void uncountedAttemptsDoNotCountForADeadJob() {
    run.history.clear();
    run.acknowledged("a", 7);
    run.executions.clear();
    for (int n = 1; n <= MadeUpRun.MAX_ATTEMPTS; n++) {
      run.attempt(70 + n, 7, n, "failed", n, n + 0.5);
    }
    run.jobs.set(0, row("dead", MadeUpRun.MAX_ATTEMPTS, 0, 75));
    assertThat(run.violations()).isEmpty();

    run.jobs.set(0, row("dead", MadeUpRun.MAX_ATTEMPTS, 1, 75));
    assertOnly(Counter.UNEXPECTED, "The job is dead with attempts left.");
  }

  @Test
  void noAttemptStartsAfterTheEndOfItsJob() {
    run.executions.remove(0);
    run.attempt(72, 7, 1, "failed", 11, 12);
    run.history.removeIf(event -> event.execution() == 70);
    assertOnly(Counter.UNEXPECTED, "An attempt started after the job had ended.");
  }

  @Test
  void aJobStillRunningAfterTheDrainIsStuck() {
    run.jobs.set(0, row("running", 2, 0, 71));
    run.history.remove(run.history.size() - 1);
    run.executions.remove(1);
    run.attempt(71, 7, 2, "running", 9, 0);
    assertOnly(Counter.STUCK, "The job is still running after the drain.");
  }

  @Test
  void aJobMustBeCompletedByTheAttemptThatSucceeded() {
    replaceJob("completed", Workload.PLAIN, 2, 70);
    assertOnly(Counter.AUDIT_GAPS, "The job was completed by an attempt that did not succeed.");
  }

  @Test
  void everyAttemptHasAnAuditRowAndANumberOfItsOwn() {
    replaceJob("completed", Workload.PLAIN, 3, 71);
    assertOnly(Counter.AUDIT_GAPS, "The job has 3 attempts, but 2 audit rows.");

    replaceJob("completed", Workload.PLAIN, 2, 71);
    run.executions.remove(0);
    run.attempt(70, 7, 2, "failed", 3, 4);
    assertOnly(Counter.AUDIT_GAPS, "Two attempts have the same number.");
  }

  @Test
  void aHandlerMustRunForAnAttemptInTheAudit() {
    run.event(9, EventType.STARTED, "a", 7, 72, "");
    assertOnly(Counter.AUDIT_GAPS, "A handler ran for an attempt that is not in the audit.");
  }

  @Test
  void theAuditMustNotReferToAMissingJob() {
    run.attempt(80, 8, 1, "failed", 3, 4);
    assertOnly(Counter.LOST, "The audit has an attempt of a job that does not exist.");
  }

  @Test
  void anAttemptThatNeverEndsOverlapsTheNext() {
    run.executions.remove(0);
    run.attempt(70, 7, 1, "running", 3, 0);
    assertFound(Counter.OVERLAPPING_LEASES, "Two attempts owned the job at the same time.");
  }

  @Test
  void anAttemptIsComparedWithAllLaterOnes() {
    run.executions.clear();
    run.attempt(70, 7, 1, "failed", 3, 9.5);
    run.attempt(71, 7, 2, "failed", 4, 5);
    run.attempt(72, 7, 3, "succeeded", 9, 10);
    replaceJob("completed", Workload.PLAIN, 3, 72);
    run.history.removeIf(event -> event.execution() == 71);
    assertOnly(Counter.OVERLAPPING_LEASES, "Two attempts owned the job at the same time.");
  }
}
