package dev.skipjack.worker;

import java.util.random.RandomGenerator;

/** Spreads the actions of many workers in time. */
final class Jitter {

  private Jitter() {}

  /** Returns a random duration from 80 to 120 percent of {@code nanos}. */
  static long around(long nanos, RandomGenerator random) {
    long fifth = nanos / 5;
    return nanos - fifth + random.nextLong(2 * fifth + 1);
  }
}
