package dev.skipjack.outbox;

import java.util.List;

/**
 * The health of a relay at one moment, for liveness and readiness probes.
 *
 * @param alive whether all threads of the relay are running; if false, restart the process
 * @param ready whether the relay can currently read and publish events. A relay whose database or
 *     destination is unavailable is alive but not ready, because a restart would not help
 * @param reasons why the relay is not alive or not ready, one sentence per reason
 */
public record RelayHealth(boolean alive, boolean ready, List<String> reasons) {

  /**
   * Makes a defensive copy of the list.
   *
   * @param alive whether its threads are running
   * @param ready whether it can work
   * @param reasons why it is not ready, for operators
   */
  public RelayHealth {
    reasons = List.copyOf(reasons);
  }
}
