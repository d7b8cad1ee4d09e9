package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.torture.FinalRead.EffectRow;
import dev.skipjack.torture.FinalRead.ExecutionRow;
import dev.skipjack.torture.FinalRead.JobRow;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each rule alone: a good history, one thing wrong, and the sentence that says so. */
class CheckerRulesTest {

  private final MadeUpRun run = new MadeUpRun();

  /** Job 7 fails once and completes. */
  @BeforeEach
  void aGoodHistory() {
    run.asked("a", 7);
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
  void anIdempotencyKeyMustLeadToAJob() {
    run.keys.add(8L);
    assertOnly(Counter.LOST, "An idempotency key leads to a job that is nowhere.");
  }

  @Test
  void aCommittedEffectMustBeThereAndBeThatAttempts() {
    run.event(10, EventType.COMMITTED, "a", 7, 71, "");
    assertOnly(Counter.LOST, "An effect that was committed is not there.");

    run.effects.add(new EffectRow("a", 7, 71));
    assertThat(run.violations()).isEmpty();

    run.effects.set(0, new EffectRow("a", 7, 70));
    assertFound(Counter.LOST, "An effect that was committed is not there.");
    assertFound(
        Counter.STALE_ACCEPTED, "An effect was committed by an attempt that did not own the job.");
  }

  @Test
  void aCompletedJobThatWritesAnEffectHasIt() {
    replaceJob("completed", Workload.EFFECT, 2, 71);
    assertOnly(Counter.LOST, "Completed, and its effect is not there.");
  }

  @Test
  void aJobIsAskedForAndARequestMakesOne() {
    run.attempt(80, 8, 1, "succeeded", 9, 10);
    run.job(8, "completed", "nobody", "", 1, 80);
    assertOnly(Counter.UNEXPECTED, "Nobody asked for this job.");

    run.jobs.remove(1);
    run.job(8, "completed", "a", "", 1, 80);
    assertOnly(Counter.UNEXPECTED, "One request made several jobs.");
  }

  @Test
  void aCancelIsAskedFor() {
    replaceJob("cancelled", Workload.PLAIN, 2, 0);
    run.executions.remove(1);
    run.attempt(71, 7, 2, "cancelled", 9, 10);
    run.history.remove(run.history.size() - 1);
    assertOnly(Counter.UNEXPECTED, "Cancelled, and nobody asked for that.");

    run.event(8, EventType.CANCEL_ASKED, Event.NONE, 7, 0, "");
    assertThat(run.violations()).isEmpty();
  }

  @Test
  void noAttemptBeginsAfterTheAnswerToACancel() {
    run.event(5, EventType.CANCEL_ASKED, Event.NONE, 7, 0, "");
    run.event(6, EventType.CANCEL_ANSWERED, Event.NONE, 7, 0, "REQUESTED");
    assertOnly(Counter.UNEXPECTED, "An attempt began after the cancel was answered.");
  }

  @Test
  void aCancelThatWasRequestedLeavesNoLiveJobAndOneThatWasRefusedSaysNothing() {
    run.event(9.1, EventType.CANCEL_ASKED, Event.NONE, 7, 0, "");
    run.event(9.2, EventType.CANCEL_ANSWERED, Event.NONE, 7, 0, "REQUESTED");
    run.executions.remove(1);
    run.attempt(71, 7, 2, "dead", 9, 10);
    run.history.remove(5);
    run.jobs.set(0, row("dead", 5, 3, 71));
    for (int n = 3; n <= MadeUpRun.MOST; n++) {
      run.attempt(70 + n, 7, n, "failed", 9.1, 9.1);
    }
    run.executions.sort((a, b) -> Long.compare(a.id(), b.id()));
    assertFound(Counter.UNEXPECTED, "Cancelled, and dead in the end.");

    run.history.removeIf(event -> event.type() == EventType.CANCEL_ANSWERED);
    run.event(9.2, EventType.CANCEL_ANSWERED, Event.NONE, 7, 0, "BUSY");
    assertThat(run.violations()).noneMatch(found -> found.what().startsWith("Cancelled, and"));
  }

  @Test
  void aCancelIsRefusedAsGoneOnlyWhenTheJobIs() {
    run.event(10, EventType.CANCEL_ASKED, Event.NONE, 7, 0, "");
    run.event(10, EventType.CANCEL_ANSWERED, Event.NONE, 7, 0, "GONE");
    assertThat(run.violations()).isEmpty();
    run.history.remove(run.history.size() - 1);

    String what = "Not cancelled because it was gone, and it lived.";
    run.event(9.9, EventType.CANCEL_ANSWERED, Event.NONE, 7, 0, "GONE");
    assertOnly(Counter.UNEXPECTED, what);
    run.clockError = 200_000;
    assertThat(run.violations()).isEmpty();

    run.history.removeIf(event -> event.type() == EventType.CANCEL_ANSWERED);
    run.event(12, EventType.CANCEL_ANSWERED, Event.NONE, 7, 0, "GONE");
    run.jobs.set(0, row("dead", 2, 0, 71));
    assertFound(Counter.UNEXPECTED, what);
  }

  @Test
  void anAttemptBeginsAfterTheEndOnlyIfTheDatabaseSaysSo() {
    run.clockError = MadeUpRun.SECOND; // both times are the database's
    noAttemptBeginsAfterTheEnd();
  }

  private static JobRow row(String status, int attempts, int uncountedAttempts, long execution) {
    return new JobRow(
        7,
        status,
        false,
        "a",
        Workload.PLAIN.name(),
        "",
        attempts,
        uncountedAttempts,
        MadeUpRun.MOST,
        MadeUpRun.SECOND,
        0,
        execution);
  }

  @Test
  void twoAcceptedCompletionsAreDouble() {
    run.event(10, EventType.ACCEPTED, Event.NONE, 7, 71, "succeeded");
    assertThat(run.violations()).isEmpty(); // one told twice is one

    run.event(10, EventType.ACCEPTED, Event.NONE, 7, 70, "succeeded");
    assertFound(Counter.DOUBLE_COMPLETED, "Two completions were accepted.");
  }

  @Test
  void twoSucceededAttemptsAreDouble() {
    run.executions.remove(0);
    run.attempt(70, 7, 1, "succeeded", 3, 4);
    assertOnly(Counter.DOUBLE_COMPLETED, "Several attempts completed the job.");
  }

  @Test
  void aJobIsInOnePlace() {
    run.jobs.add(row("running", 2, 0, 71));
    assertOnly(Counter.DOUBLE_COMPLETED, "The job is there several times.");
  }

  @Test
  void whatWasAcceptedIsInTheAuditAndClosed() {
    run.event(10, EventType.ACCEPTED, Event.NONE, 7, 72, "failed");
    assertOnly(Counter.AUDIT_GAPS, "An accepted attempt is not in the audit.");
    run.history.remove(run.history.size() - 1);

    run.executions.remove(0);
    run.attempt(70, 7, 1, "running", 3, 0);
    assertFound(Counter.LOST, "An outcome that was accepted is not there.");
    assertFound(Counter.AUDIT_GAPS, "Not running, and an attempt is open in the audit.");
  }

  @Test
  void anAcceptedSuccessIsOneInTheAudit() {
    run.executions.set(
        0, new ExecutionRow(70, 7, 1, "failed", 3_000_000, 4_000_000, "worker-1", ""));
    assertThat(run.violations()).isEmpty();

    run.event(5, EventType.ACCEPTED, Event.NONE, 7, 70, "succeeded");
    assertFound(Counter.LOST, "A success was accepted, and the audit says otherwise.");
  }

  @Test
  void anAttemptThatSucceededEndsItsJob() {
    run.jobs.set(0, row("pending", 2, 0, 0));
    assertFound(Counter.LOST, "An attempt succeeded, and the job is pending.");

    run.executions.remove(1);
    run.attempt(71, 7, 2, "released", 9, 10);
    assertThat(run.violations()).noneMatch(found -> found.what().startsWith("An attempt succ"));
  }

  @Test
  void anEventOfAnAttemptIsOfItsJob() {
    run.asked("b", 8);
    run.job(8, "completed", "b", "", 1, 80);
    run.attempt(80, 8, 1, "succeeded", 3, 4);
    assertThat(run.violations()).isEmpty();

    run.event(3, EventType.STARTED, "a", 7, 80, "");
    assertOnly(Counter.AUDIT_GAPS, "A handler ran for an attempt that is not there.");
    run.history.remove(run.history.size() - 1);

    run.event(4, EventType.ACCEPTED, Event.NONE, 7, 80, "failed");
    assertOnly(Counter.AUDIT_GAPS, "An accepted attempt is not in the audit.");
  }

  @Test
  void noProcessEndsByItself() {
    run.event(4, EventType.DIED, Event.NONE, 0, 0, "1");
    assertOnly(Counter.UNEXPECTED, "worker-1 ended by itself with 1.");
  }

  @Test
  void aRescueWaitsForTheLeaseThatWasRenewed() {
    run.fault("commit-cut", Event.ALL, 5.4, 5.5);
    run.history.removeIf(event -> event.execution() == 70);
    run.executions.set(0, new ExecutionRow(70, 7, 1, "lost", 3_000_000, 7_000_000, "worker-1", ""));
    run.event(5, EventType.LEASED, Event.NONE, 7, 70, "4000000");
    run.event(5.5, EventType.LEASED, Event.NONE, 7, 70, "3900000");
    assertThat(run.violations()).isEmpty();

    run.event(6, EventType.LEASED, Event.NONE, 7, 70, "4000001");
    assertOnly(Counter.OVERLAPPING_LEASES, "Rescued before its lease was over.");
  }

  @Test
  void aDoomedJobNeverCompletes() {
    replaceJob("completed", Workload.DOOMED, 2, 71);
    assertOnly(Counter.UNEXPECTED, "A job that never succeeds is completed.");
  }

  @Test
  void aJobHasNoMoreAttemptsThanItMay() {
    replaceJob("completed", Workload.PLAIN, 6, 71);
    assertFound(Counter.UNEXPECTED, "More attempts than were allowed.");

    replaceJob("completed", Workload.PLAIN, MadeUpRun.MOST, 71);
    assertThat(run.violations()).noneMatch(found -> found.counter() == Counter.UNEXPECTED);
  }

  @Test
  void whatWasForgivenIsNoAttempt() {
    run.history.clear();
    run.asked("a", 7);
    run.executions.clear();
    for (int n = 1; n <= MadeUpRun.MOST; n++) {
      run.attempt(70 + n, 7, n, "failed", n, n + 0.5);
    }
    run.jobs.set(0, row("dead", MadeUpRun.MOST, 0, 75));
    assertThat(run.violations()).isEmpty();

    run.jobs.set(0, row("dead", MadeUpRun.MOST, 1, 75));
    assertOnly(Counter.UNEXPECTED, "Dead with attempts left.");
  }

  @Test
  void noAttemptBeginsAfterTheEnd() {
    run.executions.remove(0);
    run.attempt(72, 7, 1, "failed", 11, 12);
    run.history.removeIf(event -> event.execution() == 70);
    assertOnly(Counter.UNEXPECTED, "An attempt began after the job had ended.");
  }

  @Test
  void whatRunsAfterTheDrainIsStuck() {
    run.jobs.set(0, row("running", 2, 0, 71));
    run.history.remove(run.history.size() - 1);
    run.executions.remove(1);
    run.attempt(71, 7, 2, "running", 9, 0);
    assertOnly(Counter.STUCK, "Still running after the drain.");
  }

  @Test
  void theAttemptThatCompletedIsTheOneThatSucceeded() {
    replaceJob("completed", Workload.PLAIN, 2, 70);
    assertOnly(Counter.AUDIT_GAPS, "Completed by an attempt that did not succeed.");
  }

  @Test
  void attemptsAreCountedAndNumbered() {
    replaceJob("completed", Workload.PLAIN, 3, 71);
    assertOnly(Counter.AUDIT_GAPS, "3 attempts, 2 in the audit.");

    replaceJob("completed", Workload.PLAIN, 2, 71);
    run.executions.remove(0);
    run.attempt(70, 7, 2, "failed", 3, 4);
    assertOnly(Counter.AUDIT_GAPS, "Two attempts have one number.");
  }

  @Test
  void aHandlerRunsForAnAttemptOfTheAudit() {
    run.event(9, EventType.STARTED, "a", 7, 72, "");
    assertOnly(Counter.AUDIT_GAPS, "A handler ran for an attempt that is not there.");
  }

  @Test
  void theAuditKnowsNoJobThatIsNowhere() {
    run.attempt(80, 8, 1, "failed", 3, 4);
    assertOnly(Counter.LOST, "The audit has a job that is nowhere.");
  }

  @Test
  void anAttemptThatNeverEndsOverlapsTheNext() {
    run.executions.remove(0);
    run.attempt(70, 7, 1, "running", 3, 0);
    assertFound(Counter.OVERLAPPING_LEASES, "Two attempts owned the job at a time.");
  }

  @Test
  void theFirstOfThreeIsComparedWithTheLast() {
    run.executions.clear();
    run.attempt(70, 7, 1, "failed", 3, 9.5);
    run.attempt(71, 7, 2, "failed", 4, 5);
    run.attempt(72, 7, 3, "succeeded", 9, 10);
    replaceJob("completed", Workload.PLAIN, 3, 72);
    run.history.removeIf(event -> event.execution() == 71);
    assertOnly(Counter.OVERLAPPING_LEASES, "Two attempts owned the job at a time.");
  }
}
