package dev.skipjack.torture;

import java.util.Collection;
import java.util.List;

/**
 * Computes percentiles by the nearest rank. A percentile is always a measured value, never an
 * interpolated one.
 */
final class Percentiles {

  private Percentiles() {}

  /** Returns a percentile of the values, or 0 if there are no values. */
  static long of(Collection<Long> values, double part) {
    List<Long> sorted = values.stream().sorted().toList();
    return sorted.isEmpty() ? 0 : sorted.get((int) Math.ceil(part * sorted.size()) - 1);
  }
}
