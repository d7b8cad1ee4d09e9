package dev.skipjack.worker;

import dev.skipjack.api.spi.ClaimedJob;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits how many payloads a worker holds in memory and fetches at once. The expected size of the
 * next payloads is learned from earlier ones: it rises immediately, and falls over several claims.
 *
 * <p>Each character counts twice, because a claim holds it both as the driver's bytes and as text.
 * Safe for any number of threads, except that only one may call {@link #learn}.
 */
final class PayloadBudget {

  /** The weight of an attempt without its payload, estimated generously. */
  private static final int BESIDES = 512;

  /**
   * The expected size before the first claim: the largest payload that a queue accepts by default.
   */
  private static final long FIRST_GUESS = weightOf(256 * 1024);

  private static final long SMALL = 64 * 1024;
  private static final long LARGEST = 128L << 20;
  private static final int PART_OF_HEAP = 4;

  /** The number of smaller jobs in a claim that moves the expected size halfway down. */
  private static final double HALFWAY = 32;

  private final long most;
  private final AtomicLong held = new AtomicLong();
  private volatile long expected = FIRST_GUESS;
  private boolean learned;

  /**
   * @param most the maximum total weight, as computed by {@link #weightOf}
   */
  PayloadBudget(long most) {
    this.most = most;
  }

  /** Returns a budget of a quarter of the heap, but at most 128 MiB. */
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

  /** Returns the number of characters that the payload of another job may have; 0 if none. */
  int charactersLeft() {
    return (int) Math.max(0, Math.min((most - held.get() - BESIDES) / 2, Integer.MAX_VALUE));
  }

  /** Returns how many more jobs of the expected size may be held. */
  int room() {
    return jobs(most - held.get());
  }

  /** Returns whether payloads are known to be small. */
  boolean areSmall() {
    return learned && expected <= SMALL;
  }

  /** Returns the number of jobs that one claim may return, at least one. */
  int claimable() {
    return Math.max(1, jobs(most / 2));
  }

  private int jobs(long weight) {
    return (int) Math.max(0, Math.min(weight / expected, Integer.MAX_VALUE));
  }

  /** Updates the expected size from the jobs of a claim. */
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
