package dev.skipjack.outbox.http;

import java.time.Duration;
import java.util.concurrent.ExecutorService;

/**
 * The settings that the batches of a publisher share.
 *
 * @param concurrency the maximum number of concurrent requests to one server
 * @param timeout how long a request may take
 * @param hasOneEndpoint whether all events have the same endpoint
 */
record Settings(
    ExecutorService threads,
    RequestSlots slots,
    SlowServers slowServers,
    int concurrency,
    Duration timeout,
    boolean hasOneEndpoint) {

  private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(1);

  /**
   * Returns the time after which a request to a server that has not responded in the batch makes
   * room for requests to others. With {@link #patience} instead, a few silent servers would use all
   * slots for a second.
   */
  Duration firstPatience() {
    return patience().dividedBy(10);
  }

  /** Returns the time after which a request is slow. */
  Duration patience() {
    return patience(timeout);
  }

  static Duration patience(Duration timeout) {
    Duration fifth = timeout.dividedBy(5);
    return fifth.compareTo(LONGEST_PATIENCE) < 0 ? fifth : LONGEST_PATIENCE;
  }
}
