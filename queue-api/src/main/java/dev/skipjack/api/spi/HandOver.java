package dev.skipjack.api.spi;

import dev.skipjack.api.WorkerId;
import java.time.Duration;
import java.util.List;

/**
 * A request to complete a job with an ordering key and to claim the next job of the key.
 *
 * @param ended the execution of the job to complete
 * @param lane the lane that the next job must be in; otherwise it becomes pending
 * @param worker the worker that claims the next job
 * @param kinds the kinds that the next job may have
 * @param longestPayload the maximum length of the next job's payload, in bytes of its JSON text
 * @param lease how long the claim remains valid without renewal; positive and at most 365 days
 */
public record HandOver(
    Execution ended,
    Lane lane,
    WorkerId worker,
    List<String> kinds,
    int longestPayload,
    Duration lease) {

  /**
   * Creates a request, with a defensive copy of the list.
   *
   * @param ended the execution of the job to complete
   * @param lane the lane
   * @param worker the worker
   * @param kinds the kinds that the worker handles
   * @param longestPayload the maximum length of the next job's payload, in bytes
   * @param lease how long the lease stays valid without renewal
   * @throws IllegalArgumentException if the lease is out of range
   */
  public HandOver {
    kinds = List.copyOf(kinds);
    ClaimRequest.requireLease(lease);
  }
}
