package dev.skipjack.outbox.http;

import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Limits the concurrent requests of a publisher, over all batches. A request that takes long moves
 * to a slot for slow requests, so that slow servers do not block the others. Thread-safe.
 */
final class RequestSlots {

  /** The number of slots for slow requests per slot for the others. */
  private static final int SLOW = 16;

  private final Semaphore quick;
  private final Semaphore slow;

  RequestSlots(int concurrency) {
    this.quick = new Semaphore(concurrency);
    this.slow = new Semaphore(SLOW * concurrency);
  }

  final class Slot {
    private boolean isSlow;
    private boolean isFree;

    private Slot(boolean isSlow) {
      this.isSlow = isSlow;
    }

    /** Moves a request that takes long, if there is a slot for it. */
    synchronized void moveToSlow() {
      if (!isFree && !isSlow && slow.tryAcquire()) {
        isSlow = true;
        quick.release();
      }
    }

    synchronized void free() {
      isFree = true;
      (isSlow ? slow : quick).release();
    }
  }

  /**
   * Returns a slot.
   *
   * @param isSlow whether the request will probably take long
   * @return null if there is none
   */
  @Nullable Slot acquire(boolean isSlow) {
    return (isSlow ? slow : quick).tryAcquire() ? new Slot(isSlow) : null;
  }
}
