package dev.skipjack.torture;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The payload of all jobs of a torture.
 *
 * @param key of the request, one of its own for each
 * @param failures how many of the first attempts do not succeed
 * @param millis how long an attempt works
 * @param unique the unique key; empty: none
 */
record Work(String key, Workload workload, int failures, int millis, String unique) {

  static final String QUEUE = "torture";

  /** Attempts of jobs that must not die, however often their worker is killed. */
  static final int MANY = 1_000;

  /** Attempts of jobs that are made to die. */
  static final int FEW = 3;

  private static final Map<Workload, JobType<Work>> TYPES = new EnumMap<>(Workload.class);

  static {
    for (Workload workload : Workload.values()) {
      TYPES.put(
          workload,
          JobType.of("torture-" + workload.label(), Work.class)
              .onQueue(QUEUE)
              .maxAttempts(workload == Workload.DOOMED ? FEW : MANY)
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
