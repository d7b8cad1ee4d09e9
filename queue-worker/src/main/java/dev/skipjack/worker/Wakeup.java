package dev.skipjack.worker;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Makes one thread wait for a given time or until another thread wakes it. */
final class Wakeup {

  private final Semaphore raised = new Semaphore(0);

  /** Ends the current wait, or the next one if no thread is waiting. Several calls count as one. */
  void raise() {
    // Two callers may both release a permit; the waiter drains all permits.
    if (raised.availablePermits() == 0) {
      raised.release();
    }
  }

  void await(long nanos) {
    try {
      if (raised.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
        raised.drainPermits();
      }
    } catch (InterruptedException stray) {

      // Loops end by Loop.stop and are never interrupted on purpose, so this is only an early
      // wake-up.
    }
  }
}
