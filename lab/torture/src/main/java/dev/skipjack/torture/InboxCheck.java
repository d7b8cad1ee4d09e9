package dev.skipjack.torture;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds events whose effect the consumer committed more than once, or not at all although the event
 * arrived.
 */
final class InboxCheck {

  private InboxCheck() {}

  static List<Violation> check(CheckedRun run) {
    List<Violation> violations = new ArrayList<>();
    Map<String, Long> effects = run.read.outbox().effects();
    effects.forEach(
        (event, times) -> {
          if (times > 1) {
            violated(event, "The effect was committed %d times.".formatted(times), violations);
          }
        });
    Set<String> arrived = new HashSet<>();
    for (Event arrival : run.arrivals) {
      if (arrived.add(arrival.key()) && !effects.containsKey(arrival.key())) {
        violated(arrival.key(), "The event arrived, but its effect is missing.", violations);
      }
    }
    return violations;
  }

  private static void violated(String event, String what, List<Violation> violations) {
    violations.add(new Violation(Counter.INBOX_VIOLATIONS, 0, event, what));
  }
}
