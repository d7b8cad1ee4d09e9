package dev.skipjack.worker;

import java.util.random.RandomGenerator;

/** Keeps many workers from doing the same thing at the same time. */
final class Jitter {

  private Jitter() {}

  /** Between four and six fifths of {@code nanos}. */
  static long around(long nanos, RandomGenerator random) {
    long fifth = nanos / 5;
    return nanos - fifth + random.nextLong(2 * fifth + 1);
  }
}
