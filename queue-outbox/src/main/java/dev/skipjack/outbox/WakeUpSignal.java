package dev.skipjack.outbox;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Wakes the threads of a relay, when there may be events to publish or when the relay stops. The
 * relay interrupts its threads only after it was told to stop, so another interrupt, for example of
 * a library that the publisher uses, only ends a wait early. Thread-safe.
 */
final class WakeUpSignal {

  private final Object monitor = new Object();
  private final Stop stop;
  private long wakeUps;

  WakeUpSignal(Stop stop) {
    this.stop = stop;
  }

  void wake() {
    synchronized (monitor) {
      wakeUps++;
      monitor.notifyAll();
    }
  }

  /** Returns the number of wake-ups so far. */
  long seen() {
    synchronized (monitor) {
      return wakeUps;
    }
  }

  /** Returns whether a wake-up arrived since {@code before} or within the given time. */
  boolean await(long before, long millis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(jittered(millis));
    synchronized (monitor) {
      long left = 1;
      while (wakeUps == before && left > 0 && waitUntil(deadline)) {
        left = deadline - System.nanoTime();
      }
      return wakeUps != before;
    }
  }

  /** Waits for the given time, or until the relay stops. */
  void pause(long millis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(jittered(millis));
    synchronized (monitor) {
      boolean isWaiting = true;
      while (isWaiting && deadline - System.nanoTime() > 0) {
        isWaiting = waitUntil(deadline);
      }
    }
  }

  /** Waits for a notification. Returns false if the wait should end. */
  private boolean waitUntil(long deadline) {
    if (stop.isRequested()) {
      return false;
    }
    try {
      synchronized (monitor) {
        monitor.wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
      }
      return true;
    } catch (InterruptedException interrupt) {
      return false;
    }
  }

  private static long jittered(long millis) {
    return ThreadLocalRandom.current().nextLong(millis / 2, millis + 1);
  }
}
