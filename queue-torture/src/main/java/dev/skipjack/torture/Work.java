package dev.skipjack.torture;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The payload of all jobs of a run.
 *
 * @param key key of the request, different for each
 * @param failures number of attempts that do not succeed
 * @param millis how long an attempt runs
 * @param unique the unique key; empty if there is none
 */
record Work(String key, Workload workload, int failures, int millis, String unique) {

  static final String QUEUE = "torture";

  /**
   * The maximum of attempts for jobs that must not become dead, however often their worker is
   * killed.
   */
  static final int MANY_ATTEMPTS = 1_000;

  /** The maximum of attempts for jobs that must become dead. */
  static final int FEW_ATTEMPTS = 3;

  private static final Map<Workload, JobType<Work>> TYPES = new EnumMap<>(Workload.class);

  static {
    for (Workload workload : Workload.values()) {
      TYPES.put(
          workload,
          JobType.of("torture-" + workload.label(), Work.class)
              .onQueue(QUEUE)
              .maxAttempts(workload == Workload.DOOMED ? FEW_ATTEMPTS : MANY_ATTEMPTS)
              .retry(Backoff.fixed(Duration.ofMillis(20))));
    }
  }

  JobType<Work> type() {
    return type(workload);
  }

  static JobType<Work> type(Workload workload) {
    return Objects.requireNonNull(TYPES.get(workload));
  }
}
