package dev.skipjack.torture;

import java.util.ArrayList;
import java.util.List;

/** Finds rows that were taken more than once, or never. */
final class RowCheck {

  private RowCheck() {}

  static List<Violation> check(CheckedRun run) {
    List<Violation> violations = new ArrayList<>();
    run.read
        .rows()
        .forEach(
            (row, takes) -> {
              if (takes != 1) {
                violations.add(
                    new Violation(
                        Counter.ROW_VIOLATIONS,
                        0,
                        "row-" + row,
                        takes == 0
                            ? "The row was never taken."
                            : "The row was taken %d times.".formatted(takes)));
              }
            });
    return violations;
  }
}
