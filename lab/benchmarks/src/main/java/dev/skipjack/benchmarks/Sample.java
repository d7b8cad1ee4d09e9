package dev.skipjack.benchmarks;

import java.util.Map;

/**
 * The result of one run of one variant.
 *
 * @param value the result in the benchmark's unit
 * @param figures other figures of the run
 */
public record Sample(double value, Costs costs, Map<String, Double> figures) {

  /** Returns a sample whose value is a rate in jobs per second. */
  public static Sample rate(long jobs, Costs costs) {
    return new Sample(jobs / costs.seconds(), costs, Map.of());
  }
}
