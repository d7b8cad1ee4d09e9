package dev.skipjack.benchmarks;

import java.util.concurrent.TimeUnit;

/**
 * A fixed rate by the clock on the wall: who falls behind catches up, and what comes late counts
 * from when it was to come.
 */
final class Schedule {

  private final double nanosBetween;
  private final long begin = System.nanoTime();

  /**
   * @param rate a second
   */
  Schedule(double rate) {
    nanosBetween = 1e9 / rate;
  }

  /** When the n-th is to come, from 0, as {@link System#nanoTime()}. */
  long due(long n) {
    return begin + Math.round(n * nanosBetween);
  }

  /** How many were to come until now. */
  long dueNow() {
    return (long) ((System.nanoTime() - begin) / nanosBetween) + 1;
  }

  /** Returns when the n-th is due; at once when it is late. */
  void await(long n) throws InterruptedException {
    long left = due(n) - System.nanoTime();
    while (left > 0) {
      TimeUnit.NANOSECONDS.sleep(left);
      left = due(n) - System.nanoTime();
    }
  }
}
