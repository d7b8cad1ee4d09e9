package dev.skipjack.benchmarks;

import java.util.concurrent.TimeUnit;

/**
 * A schedule with a fixed rate. A producer that falls behind catches up. Latencies are measured
 * from the scheduled time, so a stall counts for every job that it delays.
 */
public final class Schedule {

  private final double nanosBetween;
  private final long begin = System.nanoTime();

  /**
   * @param rate jobs per second
   */
  public Schedule(double rate) {
    nanosBetween = 1e9 / rate;
  }

  /** Returns the {@link System#nanoTime()} at which job {@code n}, from 0, is due. */
  public long due(long n) {
    return begin + Math.round(n * nanosBetween);
  }

  /** Returns the number of jobs that have become due so far. */
  long dueCount() {
    return (long) ((System.nanoTime() - begin) / nanosBetween) + 1;
  }

  /** Waits until job {@code n} is due. */
  public void await(long n) throws InterruptedException {
    long left = due(n) - System.nanoTime();
    while (left > 0) {
      TimeUnit.NANOSECONDS.sleep(left);
      left = due(n) - System.nanoTime();
    }
  }
}
