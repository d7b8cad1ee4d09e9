package dev.skipjack.benchmarks;

import java.util.Collection;
import java.util.List;

/** Computes the median, minimum and maximum of a few runs, and rounds figures. */
public final class Statistics {

  private Statistics() {}

  /**
   * Returns the middle value, or the mean of the two middle ones.
   *
   * @throws IllegalArgumentException if there are no values
   */
  public static double median(Collection<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    if (sorted.isEmpty()) {
      throw new IllegalArgumentException("The median of no values is undefined.");
    }
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  /** Returns the minimum of one or more values. */
  public static double min(Collection<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
  }

  /** Returns the maximum of one or more values. */
  public static double max(Collection<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
  }

  /**
   * Rounds to four significant digits, or to an integer, because measurements are not more precise.
   */
  static double rounded(double value) {
    if (value == 0 || !Double.isFinite(value)) {
      return value;
    }
    int digits = Math.max(0, 3 - (int) Math.floor(Math.log10(Math.abs(value))));
    double scale = Math.pow(10, digits);
    return Math.round(value * scale) / scale;
  }
}
