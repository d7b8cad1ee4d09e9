package dev.skipjack.outbox.http;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A request or a lookup in progress. One thread begins it, and another one carries it out. */
final class RunningDelivery {

  private final Delivery delivery;
  private final DestinationQueue destination;
  private final RequestSlots.Slot slot;
  private final long since = System.nanoTime();

  /** The thread that carries it out; guarded by this object. */
  private @Nullable Thread thread;

  private boolean isAborted;

  RunningDelivery(Delivery delivery, DestinationQueue destination, RequestSlots.Slot slot) {
    this.delivery = delivery;
    this.destination = destination;
    this.slot = slot;
  }

  Delivery delivery() {
    return delivery;
  }

  DestinationQueue destination() {
    return destination;
  }

  RequestSlots.Slot slot() {
    return slot;
  }

  Duration age() {
    return Duration.ofNanos(System.nanoTime() - since);
  }

  /** Carries out the work, which {@link #abort} interrupts. Frees the slot when it ends. */
  void run(Runnable work) {
    synchronized (this) {
      if (isAborted) {
        slot.free();
        return;
      }
      thread = Thread.currentThread();
    }
    try {
      work.run();
    } finally {
      synchronized (this) {
        thread = null;
        boolean unused = Thread.interrupted(); // because the pool reuses the thread
      }
      slot.free();
    }
  }

  synchronized void abort() {
    isAborted = true;
    if (thread != null) {
      thread.interrupt();
    }
  }
}
