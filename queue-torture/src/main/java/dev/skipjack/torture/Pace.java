package dev.skipjack.torture;

import dev.skipjack.worker.WorkerConfig;
import java.time.Duration;

/**
 * The times of a run's workers: scaled down, so that faults longer than a lease fit into a minute.
 *
 * @param lease of the workers
 * @param rescueInterval how often each looks for leases that ran out
 * @param longPerMille of a thousand jobs, how many outlive their first lease, so that heartbeats
 *     matter
 */
record Pace(Duration lease, Duration rescueInterval, int longPerMille) {

  /** Of processes. */
  static final Pace FORKED = new Pace(Duration.ofSeconds(3), Duration.ofMillis(500), 4);

  private static final Duration DRAIN = Duration.ofSeconds(3);

  /**
   * For how long no heartbeat came, at least, though one was due: whose lease ran out. They are due
   * after a third of it, and looked for four times as often.
   */
  Duration leastOverdue() {
    Duration heartbeat = config().heartbeatInterval();
    return lease.minus(heartbeat).minus(heartbeat.dividedBy(4));
  }

  /** How long such a job works. */
  int longMillis() {
    return (int) lease.toMillis() * 4 / 3;
  }

  WorkerConfig config() {
    return WorkerConfig.builder()
        .lease(lease)
        .pollInterval(Duration.ofMillis(200))
        .rescueInterval(rescueInterval)
        .drainTimeout(DRAIN)
        .interruptGrace(Duration.ofSeconds(1))
        .prefetch(10)
        .build();
  }
}
