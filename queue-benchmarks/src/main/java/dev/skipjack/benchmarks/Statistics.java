package dev.skipjack.benchmarks;

import java.util.Collection;
import java.util.List;

/** The few figures that a handful of runs is told in. */
final class Statistics {

  private Statistics() {}

  /**
   * The middle one, or the mean of the two in the middle.
   *
   * @throws IllegalArgumentException if there is none
   */
  static double median(Collection<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    if (sorted.isEmpty()) {
      throw new IllegalArgumentException("No values, no median.");
    }
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  /** The least of at least one. */
  static double least(Collection<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
  }

  /** The most of at least one. */
  static double most(Collection<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
  }

  /** With four significant digits, and all those before the point: nobody measures more. */
  static double rounded(double value) {
    if (value == 0 || !Double.isFinite(value)) {
      return value;
    }
    int digits = Math.max(0, 3 - (int) Math.floor(Math.log10(Math.abs(value))));
    double scale = Math.pow(10, digits);
    return Math.round(value * scale) / scale;
  }
}
