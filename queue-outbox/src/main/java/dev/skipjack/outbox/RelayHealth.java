package dev.skipjack.outbox;

import java.util.List;

/**
 * The health of a relay at one moment, for liveness and readiness probes.
 *
 * @param alive false if the relay is not started, is closed or has a dead thread. Restart the
 *     process if a thread is dead
 * @param ready whether the relay can currently read and publish events. A relay whose database or
 *     destination is unavailable is alive but not ready, because a restart would not help
 * @param reasons why the relay is not alive or not ready, one sentence per reason
 */
public record RelayHealth(boolean alive, boolean ready, List<String> reasons) {

  /**
   * Makes a defensive copy of the list.
   *
   * @param alive whether the relay and its threads are running
   * @param ready whether the relay can read and publish events
   * @param reasons why the relay is not alive or not ready
   */
  public RelayHealth {
    reasons = List.copyOf(reasons);
  }
}
