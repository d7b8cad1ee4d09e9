package dev.skipjack.torture;

import dev.skipjack.worker.WorkerConfig;
import java.time.Duration;

/**
 * The timing of a run. Leases are so short that faults longer than a lease fit into a minute.
 *
 * @param lease the lease that workers use
 * @param rescueInterval how often each worker rescues jobs
 * @param longPerMille how many of 1,000 jobs run longer than their first lease and therefore depend
 *     on heartbeats
 */
record Pace(Duration lease, Duration rescueInterval, int longPerMille) {

  /** The pace for producers and workers in separate processes. */
  static final Pace FORKED = new Pace(Duration.ofSeconds(3), Duration.ofMillis(500), 4);

  private static final Duration DRAIN = Duration.ofSeconds(3);

  /**
   * Returns the minimum time for which a heartbeat has been overdue when its lease expires. A
   * heartbeat is due after one heartbeat interval, a third of the lease, and counts as overdue
   * after another quarter of that interval.
   */
  Duration minOverdue() {
    Duration heartbeat = config().heartbeatInterval();
    return lease.minus(heartbeat).minus(heartbeat.dividedBy(4));
  }

  /** Returns how long one of the long jobs runs, in milliseconds. */
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
