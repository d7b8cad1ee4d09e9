package dev.skipjack.benchmarks;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures the average number of jobs per claim and per completion of a worker. Empty claims are
 * counted separately.
 */
final class BatchSizes implements TimedAccess.CallListener {

  private final LongAdder claims = new LongAdder();
  private final LongAdder claimed = new LongAdder();
  private final LongAdder completions = new LongAdder();
  private final LongAdder completed = new LongAdder();
  private final LongAdder emptyClaims = new LongAdder();

  @Override
  public void claimed(int jobs, boolean marked, long nanos) {
    if (jobs == 0) {
      emptyClaims.increment();
    } else {
      claims.increment();
      claimed.add(jobs);
    }
  }

  @Override
  public void completed(int jobs) {
    completions.increment();
    completed.add(jobs);
  }

  /** Returns the number of claims that returned a job. */
  long claims() {
    return claims.sum();
  }

  long emptyClaims() {
    return emptyClaims.sum();
  }

  Map<String, Double> figures() {
    return Map.of(
        "jobs_per_claim", mean(claimed, claims),
        "jobs_per_completion", mean(completed, completions),
        "empty_claims", emptyClaims.doubleValue());
  }

  private static double mean(LongAdder jobs, LongAdder calls) {
    return jobs.doubleValue() / Math.max(1, calls.sum());
  }
}
