package dev.skipjack.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A fault to come.
 *
 * @param at since the begin of the run
 * @param nth of its kind, from 0: what must be met a certain number of times goes by turns
 * @param dice decides what the kind leaves open besides: whom, how, for how long
 */
record PlannedFault(Duration at, FaultKind kind, int nth, long dice) {

  /** All of a run, by time. Depends on nothing but the arguments. */
  static List<PlannedFault> schedule(Set<FaultKind> kinds, double minutes, long seed) {
    List<PlannedFault> faults = new ArrayList<>();
    for (FaultKind kind : kinds) {
      // One stream for each kind: leaving out a kind leaves the others where they were.
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
