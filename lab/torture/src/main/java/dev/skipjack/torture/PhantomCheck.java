package dev.skipjack.torture;

import dev.skipjack.torture.FinalRead.JobRow;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds jobs that must not exist, because their transaction or savepoint was rolled back or their
 * enqueue was refused.
 */
final class PhantomCheck {

  static final String ROLLED_BACK =
      "The job exists although its transaction or savepoint was rolled back.";

  static final String REFUSED = "The job exists although its enqueue was refused.";

  private PhantomCheck() {}

  static List<Violation> check(CheckedRun run) {
    List<Violation> violations = new ArrayList<>();
    check(run, EventType.DISCARDED, ROLLED_BACK, violations);
    check(run, EventType.GIVEN_UP, REFUSED, violations);
    return violations;
  }

  private static void check(
      CheckedRun run, EventType type, String what, List<Violation> violations) {
    for (Event event : run.events(type)) {
      for (JobRow job : run.jobsByKey.getOrDefault(event.key(), List.of())) {
        violations.add(new Violation(Counter.PHANTOM_JOBS, job.id(), job.key(), what));
      }
    }
  }
}
