package dev.skipjack.worker;

import dev.skipjack.api.spi.ClaimedJob;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many payloads a worker may hold in memory, and fetch at once. What the next ones need is
 * learned from those that came last: an increase at once, a decrease over some claims.
 *
 * <p>Counts characters, twice each, because a claim holds them as the driver's bytes and as text.
 * Safe for any number of threads; {@link #learn} is for one.
 */
final class PayloadBudget {

  /** What the rest of an attempt needs: more than enough of it makes no claim smaller. */
  private static final int BESIDES = 512;

  /** Until a claim has told better: the largest payload that a queue takes by default. */
  private static final long FIRST_GUESS = weightOf(256 * 1024);

  private static final long LARGEST = 128L << 20;
  private static final int PART_OF_HEAP = 4;

  /** A claim of so many jobs of another size moves what is expected half of the way down. */
  private static final double HALFWAY = 32;

  private final long most;
  private final AtomicLong held = new AtomicLong();
  private volatile long expected = FIRST_GUESS;
  private boolean learned;

  /**
   * @param most most that is held, by {@link #weightOf}
   */
  PayloadBudget(long most) {
    this.most = most;
  }

  /** A quarter of the heap, and 128 MiB at most. */
  static PayloadBudget ofHeap() {
    return new PayloadBudget(Math.min(LARGEST, Runtime.getRuntime().maxMemory() / PART_OF_HEAP));
  }

  static long weightOf(int characters) {
    return 2L * characters + BESIDES;
  }

  void hold(long weight) {
    held.addAndGet(weight);
  }

  void release(long weight) {
    held.addAndGet(-weight);
  }

  /** How many more jobs may be held, of the size that is expected. */
  int room() {
    return jobs(most - held.get());
  }

  /** How many jobs one claim may bring; at least one. */
  int claimable() {
    return Math.max(1, jobs(most / 2));
  }

  private int jobs(long weight) {
    return (int) Math.max(0, Math.min(weight / expected, Integer.MAX_VALUE));
  }

  /** Learns from what a claim brought. */
  void learn(List<ClaimedJob> jobs) {
    if (jobs.isEmpty()) {
      return;
    }
    long weight = 0;
    for (ClaimedJob job : jobs) {
      weight += weightOf(job.payload().length());
    }
    long mean = weight / jobs.size();
    long before = expected;
    if (mean > before || !learned) {
      expected = mean;
    } else {
      expected = before - (long) ((before - mean) * (jobs.size() / (jobs.size() + HALFWAY)));
    }
    learned = true;
  }
}
