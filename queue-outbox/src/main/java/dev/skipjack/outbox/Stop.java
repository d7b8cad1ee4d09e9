package dev.skipjack.outbox;

import java.time.Duration;

/** Records whether and when the stop of a relay was requested. Thread-safe. */
final class Stop {

  /** The time for which sending may continue after the stop of a relay was requested. */
  static final Duration GRACE = Duration.ofSeconds(15);

  private volatile boolean requested;
  private volatile long endsAt;

  void request() {
    if (!requested) {
      endsAt = System.nanoTime() + GRACE.toNanos();
      requested = true;
    }
  }

  boolean isRequested() {
    return requested;
  }

  /** Returns how long sending may still take, in nanoseconds. */
  long nanosLeft() {
    return requested ? endsAt - System.nanoTime() : Long.MAX_VALUE;
  }
}
