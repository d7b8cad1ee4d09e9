package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.torture.FinalRead.EffectRow;
import org.junit.jupiter.api.Test;

/** Small histories by hand, one promise each. Times are seconds. */
class CheckerTest {

  private final MadeUpRun run = new MadeUpRun();

  @Test
  void aJobThatCompletedAtOnceIsClean() {
    run.asked("a", 7);
    run.job(7, "completed", "a", "", 1, 70);
    run.attempt(70, 7, 1, "succeeded", 3, 10);
    run.event(11, EventType.ACCEPTED, Event.NONE, 7, 70, "succeeded");

    assertThat(run.red()).isEmpty();
  }

  @Test
  void aJobThatIsNowhereIsLostOnlyIfItWasAcknowledged() {
    run.event(1, EventType.ASKED, "a", 0, 0, "plain");
    run.event(2, EventType.UNKNOWN, "a", 0, 0, "");
    assertThat(run.red()).isEmpty();

    run.asked("b", 8);
    assertThat(run.red()).containsExactly(Counter.LOST);
  }

  @Test
  void anAcceptedOutcomeThatIsNotThereIsLostAndAfterTheRescueItIsStale() {
    run.asked("a", 7);
    run.job(7, "completed", "a", "", 2, 71);
    run.attempt(70, 7, 1, "lost", 3, 7);
    run.attempt(71, 7, 2, "succeeded", 8, 10);
    run.history.add(new Event(3, Event.ALL, EventType.FAULT_BEGAN, "1", 0, 0, "proxy"));
    run.history.add(
        new Event(4 * MadeUpRun.SECOND, Event.ALL, EventType.FAULT_ENDED, "1", 0, 0, "proxy"));
    assertThat(run.red()).isEmpty();

    run.event(5, EventType.ACCEPTED, Event.NONE, 7, 70, "failed");
    assertThat(run.red()).containsExactly(Counter.LOST);

    run.history.remove(run.history.size() - 1);
    run.event(9, EventType.ACCEPTED, Event.NONE, 7, 70, "failed");
    assertThat(run.red()).containsExactly(Counter.STALE_ACCEPTED);
  }

  @Test
  void aLostLeaseNeedsACauseAndAWholeLease() {
    run.asked("a", 7);
    run.job(7, "completed", "a", "", 2, 71);
    run.attempt(70, 7, 1, "lost", 3, 7);
    run.attempt(71, 7, 2, "succeeded", 8, 10);
    assertThat(run.red()).containsExactly(Counter.UNPROVOKED_RERUNS);

    run.executions.clear();
    run.attempt(70, 7, 1, "lost", 3, 5);
    run.attempt(71, 7, 2, "succeeded", 8, 10);
    assertThat(run.red()).containsExactly(Counter.OVERLAPPING_LEASES);
  }

  @Test
  void twoOwnersAtATimeOverlap() {
    run.asked("a", 7);
    run.job(7, "completed", "a", "", 2, 71);
    run.attempt(70, 7, 1, "failed", 3, 9);
    run.attempt(71, 7, 2, "succeeded", 8, 10);

    assertThat(run.red()).containsExactly(Counter.OVERLAPPING_LEASES);
  }

  @Test
  void anEffectBelongsToTheAttemptThatSucceededAndIsOne() {
    run.asked("a", 7);
    run.job(7, "completed", "a", "", 2, 71);
    run.attempt(70, 7, 1, "failed", 3, 4);
    run.attempt(71, 7, 2, "succeeded", 8, 10);
    run.effects.add(new EffectRow("a", 7, 71));
    assertThat(run.red()).isEmpty();

    run.effects.add(new EffectRow("a", 7, 70));
    assertThat(run.red()).containsExactly(Counter.DOUBLE_COMPLETED, Counter.STALE_ACCEPTED);
  }

  @Test
  void anAnsweredCancelIsTheEnd() {
    run.asked("a", 7);
    run.event(3, EventType.CANCEL_ASKED, Event.NONE, 7, 0, "");
    run.event(4, EventType.CANCEL_ANSWERED, Event.NONE, 7, 0, "REQUESTED");
    run.job(7, "completed", "a", "", 1, 70);
    run.attempt(70, 7, 1, "succeeded", 3, 10);
    assertThat(run.red()).isEmpty();

    run.event(4, EventType.CANCEL_ANSWERED, Event.NONE, 7, 0, "CANCELLED");
    assertThat(run.red()).containsExactly(Counter.UNEXPECTED);
  }

  @Test
  void whatIsLiveIsStuckAndTheDeadHaveUsedTheirAttempts() {
    run.asked("a", 7);
    run.job(7, "pending", "a", "", 0, 0);
    assertThat(run.red()).containsExactly(Counter.STUCK);

    run.jobs.clear();
    run.job(7, "dead", "a", "", 4, 0);
    for (int n = 1; n <= 4; n++) {
      run.attempt(70 + n, 7, n, n < 4 ? "failed" : "dead", 2 * n + 1, 2 * n + 2);
    }
    assertThat(run.red()).containsExactly(Counter.UNEXPECTED);
  }

  @Test
  void theAuditHasEveryAttemptOnce() {
    run.asked("a", 7);
    run.job(7, "completed", "a", "", 2, 71);
    run.attempt(71, 7, 2, "succeeded", 8, 10);
    assertThat(run.red()).containsExactly(Counter.AUDIT_GAPS);

    run.attempt(70, 7, 2, "failed", 3, 4);
    assertThat(run.red()).containsExactly(Counter.AUDIT_GAPS);
  }

  @Test
  void whatIsNotCheckedIsNotReportedAsNone() {
    assertThat(run.report().json())
        .contains("\"order_violations\":null")
        .contains("\"unique_violations\":0");
  }

  @Test
  void aUniqueKeyIsHeldByOneCertainLifeAtATime() {
    run.asked("a", 7);
    run.job(7, "completed", "a", "u", 1, 70);
    run.attempt(70, 7, 1, "succeeded", 3, 10);
    run.event(1, EventType.ASKED, "b", 0, 0, "unique");
    run.event(11, EventType.ACKED, "b", 8, 0, "created");
    run.job(8, "cancelled", "b", "u", 0, 0);
    run.event(1, EventType.CANCEL_ASKED, Event.NONE, 8, 0, "");
    assertThat(run.red()).isEmpty();

    run.event(9, EventType.ACKED, "b", 8, 0, "created");
    assertThat(run.red()).containsExactly(Counter.UNIQUE_VIOLATIONS);
  }
}
