package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.torture.FinalRead.EffectRow;
import org.junit.jupiter.api.Test;

/**
 * Tests the checker's rules with small made-up histories. {@code MadeUpRun} takes times in seconds.
 */
class CheckerTest {

  private final MadeUpRun run = new MadeUpRun();

  @Test
  void aJobThatCompletesAtItsFirstAttemptIsClean() {
    run.acknowledged("a", 7);
    run.job(7, "completed", "a", "", 1, 70);
    run.attempt(70, 7, 1, "succeeded", 3, 10);
    run.event(11, EventType.ACCEPTED, Event.NONE, 7, 70, "succeeded");

    assertThat(run.nonZeroCounters()).isEmpty();
  }

  @Test
  void aMissingJobIsLostOnlyIfItWasAcknowledged() {
    run.event(1, EventType.REQUESTED, "a", 0, 0, "plain");
    run.event(2, EventType.UNKNOWN, "a", 0, 0, "");
    assertThat(run.nonZeroCounters()).isEmpty();

    run.acknowledged("b", 8);
    assertThat(run.nonZeroCounters()).containsExactly(Counter.LOST);
  }

  @Test
  void aMissingAcceptedOutcomeIsLostBeforeTheRescueAndStaleAfterIt() {
    run.acknowledged("a", 7);
    run.job(7, "completed", "a", "", 2, 71);
    run.attempt(70, 7, 1, "lost", 3, 7);
    run.attempt(71, 7, 2, "succeeded", 8, 10);
    run.history.add(
        new Event(3 * MadeUpRun.SECOND, Event.ALL, EventType.FAULT_BEGAN, "1", 0, 0, "proxy"));
    run.history.add(
        new Event(4 * MadeUpRun.SECOND, Event.ALL, EventType.FAULT_ENDED, "1", 0, 0, "proxy"));
    assertThat(run.nonZeroCounters()).isEmpty();

    run.event(5, EventType.ACCEPTED, Event.NONE, 7, 70, "failed");
    assertThat(run.nonZeroCounters()).containsExactly(Counter.LOST);

    run.history.remove(run.history.size() - 1);
    run.event(9, EventType.ACCEPTED, Event.NONE, 7, 70, "failed");
    assertThat(run.nonZeroCounters()).containsExactly(Counter.STALE_ACCEPTED);
  }

  @Test
  void anExpiredLeaseNeedsACauseAndMustHaveLastedItsWholeTime() {
    run.acknowledged("a", 7);
    run.job(7, "completed", "a", "", 2, 71);
    run.attempt(70, 7, 1, "lost", 3, 7);
    run.attempt(71, 7, 2, "succeeded", 8, 10);
    assertThat(run.nonZeroCounters()).containsExactly(Counter.UNPROVOKED_RERUNS);

    run.executions.clear();
    run.attempt(70, 7, 1, "lost", 3, 5);
    run.attempt(71, 7, 2, "succeeded", 8, 10);
    assertThat(run.nonZeroCounters()).containsExactly(Counter.OVERLAPPING_LEASES);
  }

  @Test
  void twoOwnersAtTheSameTimeAreOverlappingLeases() {
    run.acknowledged("a", 7);
    run.job(7, "completed", "a", "", 2, 71);
    run.attempt(70, 7, 1, "failed", 3, 9);
    run.attempt(71, 7, 2, "succeeded", 8, 10);

    assertThat(run.nonZeroCounters()).containsExactly(Counter.OVERLAPPING_LEASES);
  }

  @Test
  void aJobHasOneEffectFromTheAttemptThatSucceeded() {
    run.acknowledged("a", 7);
    run.job(7, "completed", "a", "", 2, 71);
    run.attempt(70, 7, 1, "failed", 3, 4);
    run.attempt(71, 7, 2, "succeeded", 8, 10);
    run.effects.add(new EffectRow("a", 7, 71));
    assertThat(run.nonZeroCounters()).isEmpty();

    run.effects.add(new EffectRow("a", 7, 70));
    assertThat(run.nonZeroCounters())
        .containsExactly(Counter.DOUBLE_COMPLETED, Counter.STALE_ACCEPTED);
  }

  @Test
  void aJobReportedAsCancelledMustNotComplete() {
    run.acknowledged("a", 7);
    run.event(3, EventType.CANCEL_REQUESTED, Event.NONE, 7, 0, "");
    run.event(4, EventType.CANCEL_RETURNED, Event.NONE, 7, 0, "REQUESTED");
    run.job(7, "completed", "a", "", 1, 70);
    run.attempt(70, 7, 1, "succeeded", 3, 10);
    assertThat(run.nonZeroCounters()).isEmpty();

    run.event(4, EventType.CANCEL_RETURNED, Event.NONE, 7, 0, "CANCELLED");
    assertThat(run.nonZeroCounters()).containsExactly(Counter.UNEXPECTED);
  }

  @Test
  void aLiveJobIsStuckAndADeadJobMustHaveUsedItsAttempts() {
    run.acknowledged("a", 7);
    run.job(7, "pending", "a", "", 0, 0);
    assertThat(run.nonZeroCounters()).containsExactly(Counter.STUCK);

    run.jobs.clear();
    run.job(7, "dead", "a", "", 4, 0);
    for (int n = 1; n <= 4; n++) {
      run.attempt(70 + n, 7, n, n < 4 ? "failed" : "dead", 2 * n + 1, 2 * n + 2);
    }
    assertThat(run.nonZeroCounters()).containsExactly(Counter.UNEXPECTED);
  }

  @Test
  void theAuditContainsEveryAttemptOnce() {
    run.acknowledged("a", 7);
    run.job(7, "completed", "a", "", 2, 71);
    run.attempt(71, 7, 2, "succeeded", 8, 10);
    assertThat(run.nonZeroCounters()).containsExactly(Counter.AUDIT_GAPS);

    run.attempt(70, 7, 2, "failed", 3, 4);
    assertThat(run.nonZeroCounters()).containsExactly(Counter.AUDIT_GAPS);
  }

  @Test
  void aUniqueKeyHasOneHolderAtATime() {
    run.acknowledged("a", 7);
    run.job(7, "completed", "a", "u", 1, 70);
    run.attempt(70, 7, 1, "succeeded", 3, 10);
    run.event(1, EventType.REQUESTED, "b", 0, 0, "unique");
    run.event(11, EventType.ACKNOWLEDGED, "b", 8, 0, "created");
    run.job(8, "cancelled", "b", "u", 0, 0);
    run.event(1, EventType.CANCEL_REQUESTED, Event.NONE, 8, 0, "");
    assertThat(run.nonZeroCounters()).isEmpty();

    run.event(9, EventType.ACKNOWLEDGED, "b", 8, 0, "created");
    assertThat(run.nonZeroCounters()).containsExactly(Counter.UNIQUE_VIOLATIONS);
  }
}
