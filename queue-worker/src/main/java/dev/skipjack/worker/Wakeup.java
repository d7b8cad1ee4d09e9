package dev.skipjack.worker;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Lets one thread wait until a time is over or anybody wants it earlier. */
final class Wakeup {

  private final Semaphore raised = new Semaphore(0);

  /** Ends the wait that is going on, or the next one. Any number of calls count as one. */
  void raise() {
    // Two callers may both release; the waiter drains whatever there is.
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

      // Nobody interrupts a loop on purpose, they end by Loop.stop; so this is only an early
      // wake-up.
    }
  }
}
