package dev.skipjack.api.operations;

import java.time.Instant;
import java.util.List;

/**
 * A limit, the queues that obey it, and how much of it is in use.
 *
 * @param name the name of the limit
 * @param limit its numbers
 * @param queues the queues that name it, ordered by name; empty if it has no effect
 * @param running the number of running jobs that were claimed under the limit, counted up to 10,000
 * @param updatedAt when one of its numbers last changed
 */
public record LimitState(
    String name, Limit limit, List<String> queues, int running, Instant updatedAt) {

  /**
   * Makes a defensive copy of the queues.
   *
   * @param name the name of the limit
   * @param limit its numbers
   * @param queues the queues that name it
   * @param running the number of running jobs
   * @param updatedAt when it was last changed
   */
  public LimitState {
    queues = List.copyOf(queues);
  }
}
