package dev.skipjack.benchmarks;

import java.util.concurrent.TimeUnit;

/**
 * A fixed rate. A producer that falls behind catches up, and latencies count from the scheduled
 * time, so that a stall counts for every job that it delays.
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

  /** Returns the scheduled time of job {@code n}, from 0, as {@link System#nanoTime()}. */
  public long due(long n) {
    return begin + Math.round(n * nanosBetween);
  }

  /** Returns the number of jobs that are due by now. */
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
