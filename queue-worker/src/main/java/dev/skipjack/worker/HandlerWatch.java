package dev.skipjack.worker;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Whether handlers get threads, from what the executor does. Safe for any number of threads. */
final class HandlerWatch {

  /** A refusal that long ago says nothing of now. */
  private static final long FORGOTTEN = Duration.ofMinutes(1).toNanos();

  private final LongSupplier clock;
  private volatile boolean refusing;
  private long firstAt;
  private long lastAt;

  /**
   * @param clock as {@link System#nanoTime()}
   */
  HandlerWatch(LongSupplier clock) {
    this.clock = clock;
  }

  /** A handler has begun. */
  void began() {
    if (refusing) { // a race only makes it believe an old refusal a little longer
      end();
    }
  }

  private synchronized void end() {
    refusing = false;
  }

  /** There was no thread for a handler; answers whether it is the first since one has begun. */
  synchronized boolean refused() {
    lastAt = clock.getAsLong();
    if (refusing) {
      return false;
    }
    refusing = true;
    firstAt = lastAt;
    return true;
  }

  /** For how long no handler has got a thread; empty if the last one did. */
  synchronized Optional<Duration> refusedFor() {
    long now = clock.getAsLong();
    return refusing && now - lastAt < FORGOTTEN
        ? Optional.of(Duration.ofNanos(now - firstAt))
        : Optional.empty();
  }
}
