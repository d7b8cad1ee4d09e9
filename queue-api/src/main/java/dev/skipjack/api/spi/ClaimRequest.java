package dev.skipjack.api.spi;

import dev.skipjack.api.WorkerId;
import java.time.Duration;
import java.util.List;

/**
 * The parameters of a claim.
 *
 * @param worker the worker that claims the jobs
 * @param lanes the lanes to claim from, in the order in which to serve them
 * @param kinds the kinds of jobs to claim
 * @param limit the maximum number of jobs, from 1 to 1,000
 * @param lease how long the claim remains valid without renewal; positive and at most 365 days
 */
public record ClaimRequest(
    WorkerId worker, List<LaneShare> lanes, List<String> kinds, int limit, Duration lease) {

  /** The maximum limit of a claim. */
  public static final int LARGEST = 1_000;

  private static final Duration LONGEST_LEASE = Duration.ofDays(365);

  /**
   * Creates a request, with defensive copies of the lists.
   *
   * @param worker the worker
   * @param lanes how many jobs to claim from which lanes, in this order
   * @param kinds the kinds that the worker handles
   * @param limit the maximum number
   * @param lease how long the lease stays valid without renewal
   * @throws IllegalArgumentException if the limit or the lease is out of range
   */
  public ClaimRequest {
    lanes = List.copyOf(lanes);
    kinds = List.copyOf(kinds);
    if (limit < 1 || limit > LARGEST) {
      throw new IllegalArgumentException(
          "Claim limit %d is not in 1..%d.".formatted(limit, LARGEST));
    }
    requireLease(lease);
  }

  /**
   * {@return this request, limited to at most {@code limit} jobs}
   *
   * @param limit the maximum number
   */
  public ClaimRequest atMost(int limit) {
    return new ClaimRequest(worker, lanes, kinds, Math.min(limit, this.limit), lease);
  }

  /**
   * Checks that a lease is in range.
   *
   * @param lease how long the lease stays valid without renewal
   * @return {@code lease}
   * @throws IllegalArgumentException if {@code lease} is not positive or is longer than 365 days
   */
  public static Duration requireLease(Duration lease) {
    if (lease.isNegative() || lease.isZero() || lease.compareTo(LONGEST_LEASE) > 0) {
      throw new IllegalArgumentException(
          "Lease %s must be positive and at most %d days."
              .formatted(lease, LONGEST_LEASE.toDays()));
    }
    return lease;
  }
}
