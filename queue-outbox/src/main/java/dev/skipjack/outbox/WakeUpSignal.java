package dev.skipjack.outbox;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Wakes the threads of a relay when there may be events to publish or when the relay stops. The
 * relay interrupts its threads only after its stop was requested. Any other interrupt, for example
 * by a library, only ends a wait early. Thread-safe.
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

  long seen() {
    synchronized (monitor) {
      return wakeUps;
    }
  }

  /**
   * Waits for a random part of the given time, at least half of it, unless a wake-up arrives.
   * Returns whether one has arrived since {@link #seen} returned {@code before}.
   */
  boolean await(long before, long millis) {
    waitWhile(() -> wakeUps == before, millis);
    synchronized (monitor) {
      return wakeUps != before;
    }
  }

  /** Waits for a random part of the given time, at least half of it, or until the relay stops. */
  void pause(long millis) {
    waitWhile(() -> true, millis);
  }

  private void waitWhile(BooleanSupplier condition, long millis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(jittered(millis));
    synchronized (monitor) {
      try {
        long left = deadline - System.nanoTime();
        while (left > 0 && condition.getAsBoolean() && !stop.isRequested()) {
          monitor.wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
          left = deadline - System.nanoTime();
        }
      } catch (InterruptedException interrupt) {
        // The caller checks whether the relay stops.
      }
    }
  }

  private static long jittered(long millis) {
    return ThreadLocalRandom.current().nextLong(millis / 2, millis + 1);
  }
}
