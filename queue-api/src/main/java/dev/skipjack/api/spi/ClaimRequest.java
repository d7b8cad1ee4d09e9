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
 * @param lease how long each may run before others can rescue it; positive
 */
public record ClaimRequest(
    WorkerId worker, List<LaneShare> lanes, List<String> kinds, int limit, Duration lease) {

  /** Most jobs one claim may take. */
  public static final int LARGEST = 1_000;

  /** Copies the lists and refuses limits and leases out of range. */
  public ClaimRequest {
    lanes = List.copyOf(lanes);
    kinds = List.copyOf(kinds);
    if (limit < 1 || limit > LARGEST) {
      throw new IllegalArgumentException(
          "Claim limit %d is not in 1..%d.".formatted(limit, LARGEST));
    }
    if (lease.isNegative() || lease.isZero()) {
      throw new IllegalArgumentException("Lease %s is not positive.".formatted(lease));
    }
  }
}
