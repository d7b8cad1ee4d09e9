package dev.skipjack.api.spi;

import dev.skipjack.api.WorkerId;
import java.time.Duration;
import java.util.List;

/**
 * Parameters of a claim.
 *
 * @param worker the worker that claims
 * @param lanes the lanes to claim from, in the order in which they must be served
 * @param kinds the kinds of jobs to claim
 * @param limit maximum number of jobs, 1 to 1,000
 * @param lease how long a claim stays valid without renewal; more than 0, at most 365 days
 */
public record ClaimRequest(
    WorkerId worker, List<LaneShare> lanes, List<String> kinds, int limit, Duration lease) {

  /** The maximum number of jobs in one claim. */
  public static final int LARGEST = 1_000;

  private static final Duration LONGEST_LEASE = Duration.ofDays(365);

  /** Copies the lists and rejects limits and leases out of range. */
  public ClaimRequest {
    lanes = List.copyOf(lanes);
    kinds = List.copyOf(kinds);
    if (limit < 1 || limit > LARGEST) {
      throw new IllegalArgumentException(
          "Claim limit %d is not in 1..%d.".formatted(limit, LARGEST));
    }
    requireLease(lease);
  }

  /** Returns this request with another limit. */
  public ClaimRequest atMost(int limit) {
    return new ClaimRequest(worker, lanes, kinds, Math.min(limit, this.limit), lease);
  }

  /**
   * Checks a lease.
   *
   * @return {@code lease}
   * @throws IllegalArgumentException if it is not positive, or longer than 365 days
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
