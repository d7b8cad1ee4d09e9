package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests two events of aggregate 1 and one of aggregate 2, which arrived once at 10, 11 and 12, with
 * one change each.
 */
class OutboxCheckTest {

  private static final String FIRST = "first";
  private static final String SECOND = "second";
  private static final String OTHER = "other";

  private final MadeUpRun run = new MadeUpRun();

  @BeforeEach
  void publish() {
    run.committed(FIRST, 1, 1);
    run.committed(SECOND, 1, 2);
    run.committed(OTHER, 2, 1);
    for (String event : run.changes.keySet()) {
      run.event(2, EventType.EVENT_RECORDED, event, 0, 0, "");
      run.event(3, EventType.EVENT_COMMITTED, event, 0, 0, "");
    }
    run.arrival("worker-1", 10, FIRST);
    run.arrival("worker-1", 11, SECOND);
    run.arrival("worker-2", 12, OTHER);
  }

  private void assertOnly(Counter counter, String event, String what) {
    assertThat(run.violations()).containsExactly(new Violation(counter, 0, event, what));
    assertThat(run.report().stories()).contains("Event " + event + ":");
  }

  private void removeArrivals() {
    run.history.removeIf(event -> event.type() == EventType.PUBLISHED);
  }

  @Test
  void eventsThatArriveOnceAndInOrderAreNoViolation() {
    assertThat(run.violations()).isEmpty();
    assertThat(run.report().json())
        .contains("\"events_committed\":3,\"events_published\":3,\"events_duplicated\":0");
  }

  @Test
  void anEventThatDoesNotArriveIsMissed() {
    run.history.removeIf(
        event -> event.type() == EventType.PUBLISHED && event.key().equals(SECOND));
    assertOnly(Counter.OUTBOX_MISSED, SECOND, "The event was not published.");

    run.unpublished.put(SECOND, "pending");
    assertOnly(Counter.OUTBOX_MISSED, SECOND, "The event was not published.");
  }

  @Test
  void anEventIsMissedEvenIfTheAcknowledgementOfItsCommitWasLost() {
    run.history.removeIf(event -> event.key().equals(SECOND));
    assertOnly(Counter.OUTBOX_MISSED, SECOND, "The event was not published.");
  }

  @Test
  void aPublishedEventMustNotBeLeftInTheOutbox() {
    run.unpublished.put(FIRST, "blocked");
    assertOnly(
        Counter.OUTBOX_MISSED,
        FIRST,
        "The event was published, but is still blocked after the drain.");
  }

  @Test
  void aTransactionThatCommittedMustNotDisappear() {
    run.event(3, EventType.EVENT_COMMITTED, "gone", 0, 0, "");
    assertOnly(Counter.OUTBOX_MISSED, "gone", "A transaction that committed is missing.");
  }

  @Test
  void anEventThatTheDestinationRejectsMustBeDead() {
    run.changes.put("poison", new Change(2, 2, true));
    assertOnly(
        Counter.OUTBOX_MISSED,
        "poison",
        "The destination rejected the event, but it is not dead after the drain.");

    run.unpublished.put("poison", "blocked");
    assertThat(run.nonZeroCounters()).containsExactly(Counter.OUTBOX_MISSED);

    run.unpublished.put("poison", "dead");
    assertThat(run.violations()).isEmpty();
  }

  @Test
  void anEventOfATransactionThatRolledBackIsAPhantom() {
    run.event(2, EventType.EVENT_RECORDED, "phantom", 0, 0, "");
    run.event(3, EventType.EVENT_ROLLED_BACK, "phantom", 0, 0, "");
    assertThat(run.violations()).isEmpty();

    run.arrival("worker-1", 13, "phantom");
    assertOnly(
        Counter.OUTBOX_PHANTOM, "phantom", "The event's transaction has not been committed.");
  }

  @Test
  void anEventInTheOutboxWithoutATransactionIsAPhantom() {
    run.unpublished.put("phantom", "pending");
    assertOnly(
        Counter.OUTBOX_PHANTOM, "phantom", "The event's transaction has not been committed.");
  }

  @Test
  void aCopyWithAnotherPayloadIsAPhantom() {
    run.changes.put(OTHER, new Change(2, 7, false));
    assertOnly(Counter.OUTBOX_PHANTOM, OTHER, "A copy differs from what was recorded.");
  }

  @Test
  void theFirstCopiesOfAnAggregateMustBeInOrder() {
    removeArrivals();
    run.arrival("worker-2", 9, OTHER);
    run.arrival("worker-1", 10, SECOND);
    run.arrival("worker-1", 11, FIRST);
    assertOnly(Counter.OUTBOX_MISORDERED, FIRST, "Change 1 of aggregate 1 arrived after change 2.");
  }

  @Test
  void theOrderIsThatOfArrivalEvenIfAClockIsWrong() {
    removeArrivals();
    run.arrival("worker-1", 11, FIRST);
    run.arrival("worker-2", 10, SECOND);
    run.arrival("worker-2", 12, OTHER);
    assertThat(run.violations()).isEmpty();
  }

  @Test
  void aMissedEventBeforeOthersIsMissedButNotMisordered() {
    removeArrivals();
    run.arrival("worker-1", 10, SECOND);
    run.arrival("worker-1", 11, OTHER);
    assertOnly(Counter.OUTBOX_MISSED, FIRST, "The event was not published.");
  }

  @Test
  void repeatedCopiesMayArriveAfterLaterEvents() {
    run.fault("kill", "worker-1", 11.5, 12);
    run.arrival("worker-2", 15, FIRST);
    run.arrival("worker-2", 16, SECOND);
    assertThat(run.violations()).isEmpty();
    assertThat(run.report().json()).contains("\"events_published\":3,\"events_duplicated\":2");
  }

  @Test
  void aDuplicateWithoutAFaultIsAViolation() {
    run.arrival("worker-2", 15, FIRST);
    assertOnly(
        Counter.OUTBOX_DUPLICATES,
        FIRST,
        "The event arrived 2 times, and faults and missing responses explain only 0 of the copies.");
  }

  @Test
  void aMissingResponseExplainsOneCopy() {
    run.arrival("worker-2", 15, FIRST);
    run.event(14, EventType.UNANSWERED, FIRST, 0, 0, "");
    assertThat(run.violations()).isEmpty();

    run.arrival("worker-2", 16, FIRST);
    assertOnly(
        Counter.OUTBOX_DUPLICATES,
        FIRST,
        "The event arrived 3 times, and faults and missing responses explain only 1 of the copies.");
  }

  @Test
  void aFaultAndTheResponseThatItPreventedExplainTheSameCopy() {
    run.arrival("worker-2", 15, FIRST);
    run.arrival("worker-2", 40, FIRST);
    run.fault("stop", "worker-1", 9, 11);
    run.event(12, EventType.UNANSWERED, FIRST, 0, 0, "");
    assertThat(run.nonZeroCounters()).containsExactly(Counter.OUTBOX_DUPLICATES);
  }

  @Test
  void aKillExplainsOnlyCopiesThatItsProcessSentShortlyBefore() {
    run.arrival("worker-2", 30, FIRST);
    run.fault("kill", "worker-2", 20, 21);
    assertThat(run.nonZeroCounters()).containsExactly(Counter.OUTBOX_DUPLICATES);
    run.fault("kill", "worker-1", 8, 9); // before the copy
    assertThat(run.nonZeroCounters()).containsExactly(Counter.OUTBOX_DUPLICATES);
    run.fault("kill", "worker-1", 17.1, 18); // the relay would have recorded the copy before
    assertThat(run.nonZeroCounters()).containsExactly(Counter.OUTBOX_DUPLICATES);

    run.fault("kill", "worker-1", 16.9, 18);
    assertThat(run.violations()).isEmpty();
  }

  @Test
  void aFreezeExplainsACopyThatTheProcessSendsWhenItContinues() {
    run.arrival("worker-2", 15, SECOND);
    run.fault("stop", "worker-2", 5, 9);
    assertThat(run.violations()).isEmpty();
  }

  @Test
  void aFaultAfterTheLastCopyExplainsNothing() {
    run.arrival("worker-2", 12, FIRST);
    run.fault("kill", "worker-1", 13, 14);
    assertThat(run.nonZeroCounters()).containsExactly(Counter.OUTBOX_DUPLICATES);
  }

  @Test
  void aFaultThatHitsAllProcessesExplainsCopiesOfAny() {
    run.arrival("worker-2", 15, FIRST);
    run.fault("postmaster killed", Event.ALL, 10.5, 12);
    assertThat(run.violations()).isEmpty();
  }

  @Test
  void allCopiesButOneNeedAnExplanation() {
    run.fault("kill", "worker-1", 10.5, 10.6);
    run.arrival("worker-2", 13, FIRST);
    assertThat(run.violations()).isEmpty();

    run.arrival("worker-3", 14, FIRST);
    assertOnly(
        Counter.OUTBOX_DUPLICATES,
        FIRST,
        "The event arrived 3 times, and faults and missing responses explain only 1 of the copies.");
  }
}
