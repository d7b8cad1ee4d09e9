package dev.skipjack.torture;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The options of a run.
 *
 * @param minutes the time for which jobs are enqueued and faults are injected, 0.1 to 1,440;
 *     removing the faults and draining the queue take additional time
 * @param jobs minimum number of jobs to enqueue, 10 to 10,000,000; if the load is the outbox alone,
 *     the number of transactions that record an event
 * @param seed seed of the jobs and of the schedule of faults
 * @param url JDBC URL of a database in which the schema {@code skipjack_torture} is dropped and
 *     recreated; if empty, an embedded server is started. May contain a password.
 * @param faults the faults to inject
 * @param load what the run writes: jobs, events, both, or schedules
 */
public record TortureOptions(
    double minutes, int jobs, long seed, Optional<String> url, Set<FaultKind> faults, Load load) {

  /** The default number of jobs per minute. */
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
   * Returns the faults that can be injected. Without an embedded server, those that need one are
   * omitted.
   *
   * @param clocks whether clocks can be skewed on this machine
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
