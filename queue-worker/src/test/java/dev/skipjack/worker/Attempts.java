package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** Creates attempts for unit tests. */
final class Attempts {

  private Attempts() {}

  static Attempt claimed(Duration lease) {
    return of(1, 0, lease);
  }

  /** Returns an attempt whose handler was called the given time ago. */
  static Attempt begun(Duration ago) {
    Attempt attempt = claimed(Duration.ofHours(2));
    attempt.begin(System.nanoTime() - ago.toNanos());
    return attempt;
  }

  /** Returns an attempt whose claim was sent the given time ago. */
  static Attempt claimedSince(Duration ago) {
    return of(1, 0, Duration.ofHours(9), System.nanoTime() - ago.toNanos());
  }

  static Attempt of(long id, int priority, Duration lease) {
    return of(id, priority, lease, System.nanoTime());
  }

  private static Attempt of(long id, int priority, Duration lease, long claimedAt) {
    ServedQueue queue =
        new ServedQueue(
            "q", 1, 0, new Wakeup(), LaneOrder.Reserve.A_TENTH, new PayloadBudget(Long.MAX_VALUE));
    ClaimedJob job =
        new ClaimedJob(
            new Execution(new JobId(id), new ExecutionId(id), Instant.EPOCH),
            "q",
            "k",
            "payload",
            1,
            priority,
            1,
            0,
            3,
            Instant.EPOCH,
            Map.of());
    return new Attempt(job, queue, lease, claimedAt);
  }
}
