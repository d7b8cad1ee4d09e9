package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import java.time.Duration;

/**
 * Whether the database is there, from what the loops meet: lost with any failure for want of it,
 * back with any answer.
 */
final class DatabaseWatch {

  private boolean lost;
  private long lostAt;

  /** Answers whether this failure is the first that says so. */
  synchronized boolean failed(Throwable failure) {
    if (lost || !isAway(failure)) {
      return false;
    }
    lost = true;
    lostAt = System.nanoTime();
    return true;
  }

  /** Answers whether it was lost until now. */
  synchronized boolean worked() {
    boolean wasLost = lost;
    lost = false;
    return wasLost;
  }

  synchronized boolean isLost() {
    return lost;
  }

  /** Since it was lost the last time. */
  synchronized Duration duration() {
    return Duration.ofNanos(System.nanoTime() - lostAt);
  }

  /** No connection, a server that shuts down or starts, resources used up, a read-only standby. */
  static boolean isAway(Throwable failure) {
    return failure instanceof StoreException refused
        && refused
            .sqlState()
            .map(
                state ->
                    state.startsWith("08")
                        || state.startsWith("57P")
                        || state.startsWith("53")
                        || state.equals("25006"))
            .orElse(true);
  }
}
