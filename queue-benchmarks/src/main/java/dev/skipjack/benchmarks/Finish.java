package dev.skipjack.benchmarks;

import dev.skipjack.worker.WorkerEvent;
import dev.skipjack.worker.WorkerListener;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Waits until the given number of completions has been committed. */
final class Finish implements WorkerListener {

  private static final long PATIENCE_SECONDS = 120;

  private final AtomicLong left;
  private final CountDownLatch done = new CountDownLatch(1);

  Finish(long jobs) {
    left = new AtomicLong(jobs);
  }

  @Override
  public void on(WorkerEvent event) {
    if (event instanceof WorkerEvent.Succeeded && left.decrementAndGet() == 0) {
      done.countDown();
    }
  }

  /** How many have not ended. */
  long left() {
    return left.get();
  }

  /**
   * Returns when all have ended.
   *
   * @throws IllegalStateException if none ends for two minutes
   */
  void await() throws InterruptedException {
    long before = Long.MAX_VALUE;
    while (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      long now = left.get();
      if (now == before) {
        throw new IllegalStateException(
            "%d jobs are left and none has ended for %d s.".formatted(now, PATIENCE_SECONDS));
      }
      before = now;
    }
  }
}
