package dev.skipjack.benchmarks;

import dev.skipjack.worker.WorkerEvent;
import dev.skipjack.worker.WorkerListener;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Waits until the completions of a given number of jobs are committed. */
final class CompletionLatch implements WorkerListener {

  private static final long TIMEOUT_SECONDS = 120;

  private final AtomicLong remaining;
  private final CountDownLatch first = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(1);

  CompletionLatch(long jobs) {
    remaining = new AtomicLong(jobs);
  }

  @Override
  public void on(WorkerEvent event) {
    if (event instanceof WorkerEvent.Succeeded) {
      count(1);
    }
  }

  /** Counts jobs whose completion is committed. */
  void count(int jobs) {
    if (remaining.addAndGet(-jobs) == 0) {
      done.countDown();
    }
    first.countDown();
  }

  /** Returns the number of jobs that are not completed yet. */
  long remaining() {
    return remaining.get();
  }

  /**
   * Waits until all jobs are completed or the time has passed, but at least until the first job is
   * completed.
   *
   * @throws IllegalStateException if no job is completed within two minutes after that time
   */
  void await(double seconds) throws InterruptedException {
    boolean unused = done.await(Math.round(seconds * 1_000), TimeUnit.MILLISECONDS);
    if (!first.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "No job was completed in %.0f s.".formatted(seconds + TIMEOUT_SECONDS));
    }
  }

  /**
   * Waits until all jobs are completed.
   *
   * @throws IllegalStateException if no job is completed for two minutes
   */
  void await() throws InterruptedException {
    long previous = Long.MAX_VALUE;
    while (!done.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      long now = remaining.get();
      if (now == previous) {
        throw new IllegalStateException(
            "%d jobs remain, and none was completed in the last %d s."
                .formatted(now, TIMEOUT_SECONDS));
      }
      previous = now;
    }
  }
}
