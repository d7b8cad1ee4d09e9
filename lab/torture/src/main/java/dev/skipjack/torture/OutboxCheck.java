package dev.skipjack.torture;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares the events that arrived at the destination with the transactions that committed.
 *
 * <p>Each transaction also writes a row into a separate table, so a row shows that the transaction
 * has committed, even if its acknowledgement was lost. The order of arrival is that of the lines in
 * the destination's file. Clocks are only compared to find the fault that explains a duplicate.
 */
final class OutboxCheck {

  /** The statuses of dead events, of which an operator may have skipped some. */
  private static final Set<String> DEAD = Set.of("dead", "skipped");

  private final CheckedRun run;
  private final FaultLog faults;
  private final Map<String, List<Event>> copies = new LinkedHashMap<>();
  private final Map<String, List<Event>> unanswered = new HashMap<>();
  private final List<Violation> violations = new ArrayList<>();

  private OutboxCheck(CheckedRun run, FaultLog faults) {
    this.run = run;
    this.faults = faults;
    for (Event arrival : run.arrivals) {
      copies.computeIfAbsent(arrival.key(), event -> new ArrayList<>()).add(arrival);
    }
    for (Event sent : run.events(EventType.UNANSWERED)) {
      unanswered.computeIfAbsent(sent.key(), event -> new ArrayList<>()).add(sent);
    }
  }

  static List<Violation> check(CheckedRun run, FaultLog faults) {
    OutboxCheck check = new OutboxCheck(run, faults);
    check.checkCommits();
    run.changes.forEach(check::checkChange);
    check.checkOrigins();
    check.checkOrder();
    check.copies.forEach(check::checkCopies);
    return check.violations;
  }

  private void checkCommits() {
    for (Event committed : run.events(EventType.EVENT_COMMITTED)) {
      if (!run.changes.containsKey(committed.key())) {
        violated(
            Counter.OUTBOX_MISSED, committed.key(), "A transaction that committed is missing.");
      }
    }
  }

  private void checkChange(String event, Change change) {
    String status = run.read.outbox().unpublished().get(event);
    if (change.isPoison()) {
      if (status == null || !DEAD.contains(status)) {
        violated(
            Counter.OUTBOX_MISSED,
            event,
            "The destination rejected the event, but it is not dead after the drain.");
      }
    } else if (!copies.containsKey(event)) {
      violated(Counter.OUTBOX_MISSED, event, "The event was not published.");
    } else if (status != null) {
      violated(
          Counter.OUTBOX_MISSED,
          event,
          "The event was published, but is still %s after the drain.".formatted(status));
    }
  }

  private void checkOrigins() {
    copies.forEach(
        (event, ofEvent) -> {
          Change change = run.changes.get(event);
          if (change == null) {
            violated(
                Counter.OUTBOX_PHANTOM, event, "The event's transaction has not been committed.");
          } else if (!ofEvent.stream().allMatch(copy -> copy.detail().equals(change.text()))) {
            violated(Counter.OUTBOX_PHANTOM, event, "A copy differs from what was recorded.");
          }
        });
    for (String event : run.read.outbox().unpublished().keySet()) {
      if (!run.changes.containsKey(event) && !copies.containsKey(event)) {
        violated(Counter.OUTBOX_PHANTOM, event, "The event's transaction has not been committed.");
      }
    }
  }

  /** Checks the first copies of each aggregate's events. */
  private void checkOrder() {
    Map<Integer, Long> last = new HashMap<>();
    Set<String> arrived = new HashSet<>();
    for (Event copy : run.arrivals) {
      Change change = run.changes.get(copy.key());
      if (change == null || !arrived.add(copy.key())) {
        continue;
      }
      long before = last.getOrDefault(change.aggregate(), 0L);
      if (change.number() < before) {
        violated(
            Counter.OUTBOX_MISORDERED,
            copy.key(),
            "Change %d of aggregate %d arrived after change %d."
                .formatted(change.number(), change.aggregate(), before));
      }
      last.merge(change.aggregate(), change.number(), Math::max);
    }
  }

  /**
   * Checks that a fault or a missing response explains every copy but one. Events of destinations
   * that are slow on purpose are not checked.
   */
  private void checkCopies(String event, List<Event> ofEvent) {
    Change change = run.changes.get(event);
    if (change != null && Change.isSlow(change.aggregate())) {
      return;
    }
    long last = ofEvent.stream().mapToLong(Event::micros).max().orElse(0);
    List<Event> withoutResponse = unanswered.getOrDefault(event, List.of());
    long explained =
        ofEvent.stream().filter(copy -> faults.explainsUnrecorded(copy, last)).count()
            + withoutResponse.stream()
                .filter(sent -> !faults.explainsUnrecorded(sent, last))
                .count();
    if (ofEvent.size() - explained > 1) {
      violated(
          Counter.OUTBOX_DUPLICATES,
          event,
          "The event arrived %d times, and faults and missing responses explain only %d of the copies."
              .formatted(ofEvent.size(), explained));
    }
  }

  private void violated(Counter counter, String event, String what) {
    violations.add(new Violation(counter, 0, event, what));
  }
}
