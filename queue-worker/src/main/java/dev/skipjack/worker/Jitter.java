package dev.skipjack.worker;

import java.util.random.RandomGenerator;

/** Spreads the actions of many workers in time. */
final class Jitter {

  private Jitter() {}

  /** Returns between four and six fifths of {@code nanos}. */
  static long around(long nanos, RandomGenerator random) {
    long fifth = nanos / 5;
    return nanos - fifth + random.nextLong(2 * fifth + 1);
  }
}
