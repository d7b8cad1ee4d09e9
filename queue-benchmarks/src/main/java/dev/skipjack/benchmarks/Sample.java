package dev.skipjack.benchmarks;

import java.util.Map;

/**
 * What one run of one way came to.
 *
 * @param value in the benchmark's unit
 * @param more other figures of the run
 */
record Sample(double value, Costs costs, Map<String, Double> more) {

  /** Jobs a second. */
  static Sample rate(long jobs, Costs costs) {
    return new Sample(jobs / costs.seconds(), costs, Map.of());
  }
}
