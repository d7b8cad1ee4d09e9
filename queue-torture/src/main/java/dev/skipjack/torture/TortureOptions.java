package dev.skipjack.torture;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * What the user asked for.
 *
 * @param minutes how long jobs are produced and faults strike, 0.1 to 1,440; healing and draining
 *     come on top
 * @param jobs how many are made at least, 10 to 10,000,000
 * @param seed of the jobs and of the schedule of faults
 * @param url JDBC URL of a database in which the schema {@code skipjack_torture} is dropped and
 *     recreated; empty: an embedded server is started. May hold a password.
 * @param faults which strike
 */
public record TortureOptions(
    double minutes, int jobs, long seed, Optional<String> url, Set<FaultKind> faults) {

  /** Jobs a minute unless the user says otherwise. */
  public static final int JOBS_PER_MINUTE = 3_000;

  /** Checks the ranges. */
  public TortureOptions {
    if (!(minutes >= 0.1 && minutes <= 1_440)) {
      throw new IllegalArgumentException(
          "--minutes is %s, but must be from 0.1 to 1440.".formatted(minutes));
    }
    if (jobs < 10 || jobs > 10_000_000) {
      throw new IllegalArgumentException(
          "--jobs is %d, but must be from 10 to 10000000.".formatted(jobs));
    }
    faults = faults.isEmpty() ? Set.of() : EnumSet.copyOf(faults);
  }

  /**
   * The faults that strike: without those that need a server of the torture's own if it has none.
   *
   * @param clocks whether this machine can skew clocks
   */
  Set<FaultKind> possibleFaults(boolean clocks) {
    Set<FaultKind> possible = EnumSet.noneOf(FaultKind.class);
    faults.stream()
        .filter(kind -> url.isEmpty() || !kind.needsOwnServer())
        .filter(kind -> clocks || kind != FaultKind.CLOCK)
        .forEach(possible::add);
    return possible;
  }
}
