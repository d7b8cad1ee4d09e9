package dev.skipjack.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A planned fault.
 *
 * @param at time since the start of the run
 * @param nth the number among the faults of the same kind, from 0, which selects a variant if all
 *     variants must occur often enough
 * @param seed the seed of all other choices: the process, the variant and the duration
 */
record PlannedFault(Duration at, FaultKind kind, int nth, long seed) {

  /** Returns the faults of a run in the order of their times. They depend only on the arguments. */
  static List<PlannedFault> schedule(Set<FaultKind> kinds, double minutes, long seed) {
    List<PlannedFault> faults = new ArrayList<>();
    for (FaultKind kind : kinds) {
      // Each kind has its own random numbers, so that leaving out a kind does not change the
      // others.
      SplittableRandom random = new SplittableRandom(seed * 131 + kind.label().hashCode());
      int times = kind.times(minutes);
      double slot = minutes * 60_000 / Math.max(1, times);
      for (int n = 0; n < times; n++) {
        long millis = Math.round((n + random.nextDouble()) * slot * 0.95);
        faults.add(new PlannedFault(Duration.ofMillis(millis), kind, n, random.nextLong()));
      }
    }
    faults.sort(Comparator.comparing(PlannedFault::at).thenComparing(PlannedFault::kind));
    return faults;
  }
}
