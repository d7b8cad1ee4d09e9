package dev.skipjack.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A fault of the schedule.
 *
 * @param at time since the start of the run
 * @param nth number among the faults of its kind, from 0; variants that must each occur often
 *     enough take turns
 * @param seed decides everything else at random: which process, how and for how long
 */
record PlannedFault(Duration at, FaultKind kind, int nth, long seed) {

  /** Returns the schedule of a run, by time. It depends on the arguments alone. */
  static List<PlannedFault> schedule(Set<FaultKind> kinds, double minutes, long seed) {
    List<PlannedFault> faults = new ArrayList<>();
    for (FaultKind kind : kinds) {
      // One random stream per kind, so that leaving out a kind does not move the others.
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
