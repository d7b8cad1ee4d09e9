package dev.skipjack.worker;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Makes one thread wait for a given time or until another thread wakes it. */
class Wakeup {

  private final Semaphore raised = new Semaphore(0);
  private final AtomicBoolean isRaised = new AtomicBoolean();

  /** Ends the current wait, or the next one if no thread is waiting. Several calls count as one. */
  void raise() {
    isRaised.set(true);
    nudge();
  }

  /** Ends the current wait as {@link #raise} does, but {@link #awaitRaise} does not report it. */
  void nudge() {
    // Two callers may both release a permit; the waiter drains all permits.
    if (raised.availablePermits() == 0) {
      raised.release();
    }
  }

  void await(long nanos) {
    boolean unused = awaitRaise(nanos);
  }

  /** Waits, and returns whether another thread has called {@link #raise}. */
  boolean awaitRaise(long nanos) {
    try {
      if (raised.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
        raised.drainPermits();
      }
    } catch (InterruptedException stray) {

      // No code of the worker interrupts its loops, so this is only an early wake-up.
    }
    return isRaised.getAndSet(false);
  }
}
