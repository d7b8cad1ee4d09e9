package dev.skipjack.api.spi;

import dev.skipjack.api.WorkerId;
import java.time.Duration;
import java.util.List;

/**
 * What to claim.
 *
 * @param worker who claims
 * @param lanes where from, in the order in which they are to be served
 * @param kinds only these
 * @param limit most jobs to take, 1 to 1,000
 * @param lease how long each may run before others can rescue it; more than 0, at most 365 days
 */
public record ClaimRequest(
    WorkerId worker, List<LaneShare> lanes, List<String> kinds, int limit, Duration lease) {

  /** Most jobs one claim may take. */
  public static final int LARGEST = 1_000;

  private static final Duration LONGEST_LEASE = Duration.ofDays(365);

  /** Copies the lists and refuses limits and leases out of range. */
  public ClaimRequest {
    lanes = List.copyOf(lanes);
    kinds = List.copyOf(kinds);
    if (limit < 1 || limit > LARGEST) {
      throw new IllegalArgumentException(
          "Claim limit %d is not in 1..%d.".formatted(limit, LARGEST));
    }
    requireLease(lease);
  }

  /** This, for so many jobs at most. */
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
          "Lease %s is not in more than 0 to %d days.".formatted(lease, LONGEST_LEASE.toDays()));
    }
    return lease;
  }
}
