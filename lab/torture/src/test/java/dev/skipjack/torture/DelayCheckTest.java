package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests an event that was committed at 10 and arrives after many that were recorded later. */
class DelayCheckTest {

  private final MadeUpRun run = new MadeUpRun();

  @BeforeEach
  void recordEvents() {
    record("late", 1, 9, 10);
    for (int n = 1; n <= DelayCheck.MOST_OVERTAKING + 1; n++) {
      record("e" + n, 1 + n % 100, 10 + n / 1_000.0, 11);
    }
  }

  private void record(String event, int aggregate, double recorded, double committed) {
    run.changes.put(event, new Change(aggregate, run.changes.size() + 1, false));
    run.event(recorded, EventType.EVENT_RECORDED, event, 0, 0, "");
    run.event(committed, EventType.EVENT_COMMITTED, event, 0, 0, "");
  }

  private void arriveLate(int overtaking) {
    for (int n = 1; n <= overtaking; n++) {
      run.arrival("worker-1", 12, "e" + n);
    }
    run.arrival("worker-1", 20, "late");
  }

  private int violations() {
    return DelayCheck.check(run.checked(), run.log()).size();
  }

  @Test
  void aFewEventsMayOvertakeAnother() {
    arriveLate(DelayCheck.MOST_OVERTAKING);
    assertThat(violations()).isZero();
  }

  @Test
  void manyEventsMustNotOvertakeAnother() {
    arriveLate(DelayCheck.MOST_OVERTAKING + 1);
    assertThat(violations()).isEqualTo(1);
  }

  @Test
  void anEventThatWasRecordedBeforeTheCommitOvertakesNone() {
    record("e1", 2, 10, 11);
    run.history.removeIf(
        event ->
            event.type() == EventType.EVENT_RECORDED
                && event.key().equals("e1")
                && event.micros() != MadeUpRun.micros(10));
    arriveLate(DelayCheck.MOST_OVERTAKING + 1);
    assertThat(violations()).isZero();
  }

  @Test
  void aFaultExplainsADelay() {
    run.fault("kill", "worker-2", 19, 20);
    arriveLate(DelayCheck.MOST_OVERTAKING + 1);
    assertThat(violations()).isZero();
  }

  @Test
  void slowAndRejectedAggregatesMayBeDelayed() {
    run.changes.put("late", new Change(Change.AGGREGATES + 1, 1, false));
    arriveLate(DelayCheck.MOST_OVERTAKING + 1);
    assertThat(violations()).isZero();

    run.changes.put("late", new Change(1, 1, false));
    run.changes.put("rejected", new Change(1, 2, true));
    assertThat(violations()).isZero();
  }
}
