package dev.skipjack.worker;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Tracks whether the executor provides threads for handlers. Safe for any number of threads. */
final class HandlerWatch {

  /** The time after which a refusal is no longer relevant. */
  private static final long FORGOTTEN = Duration.ofMinutes(1).toNanos();

  private final LongSupplier clock;
  private volatile boolean refusing;
  private long firstAt;
  private long lastAt;

  /**
   * @param clock a clock in nanoseconds, such as {@link System#nanoTime()}
   */
  HandlerWatch(LongSupplier clock) {
    this.clock = clock;
  }

  /** Records that a handler has begun. */
  void began() {
    if (refusing) { // a race can only keep a refusal a little longer
      end();
    }
  }

  private synchronized void end() {
    refusing = false;
  }

  /**
   * Records that there was no thread for a handler. Returns whether this is the first such failure
   * since a handler began.
   */
  synchronized boolean refused() {
    lastAt = clock.getAsLong();
    if (refusing) {
      return false;
    }
    refusing = true;
    firstAt = lastAt;
    return true;
  }

  /**
   * Returns how long no handler has received a thread. Returns empty if the last handler received
   * one, or if the last refusal was more than a minute ago.
   */
  synchronized Optional<Duration> refusedFor() {
    long now = clock.getAsLong();
    return refusing && now - lastAt < FORGOTTEN
        ? Optional.of(Duration.ofNanos(now - firstAt))
        : Optional.empty();
  }
}
