package dev.skipjack.torture;

import java.util.Collection;
import java.util.List;

/** By the nearest rank: a value that was measured, never one between two. */
final class Percentiles {

  private Percentiles() {}

  /** Answers 0 if there are no values. */
  static long of(Collection<Long> values, double part) {
    List<Long> sorted = values.stream().sorted().toList();
    return sorted.isEmpty() ? 0 : sorted.get((int) Math.ceil(part * sorted.size()) - 1);
  }
}
