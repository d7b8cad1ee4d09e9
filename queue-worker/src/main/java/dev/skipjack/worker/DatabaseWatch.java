package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Whether the database is there, from what the loops meet: lost with any failure for want of it,
 * back with any answer. And whether the pool has connections: exhausted while any loop waits for
 * one in vain, whatever others get, since the heartbeat for one has its own.
 */
final class DatabaseWatch {

  private boolean lost;
  private long lostAt;
  private final Set<String> waiting = new HashSet<>();
  private long exhaustedAt;

  /** Answers whether this failure is the first that says so. */
  synchronized boolean failed(Throwable failure) {
    if (lost || isExhausted(failure) || !isAway(failure)) {
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

  /** Whether this failure of a loop is for want of a connection of the pool. */
  static boolean isExhausted(Throwable failure) {
    return failure instanceof StoreException refused && refused.isPoolExhausted();
  }

  /** Answers whether this loop is the first that waits in vain for a connection. */
  synchronized boolean waits(String loop) {
    if (!waiting.add(loop) || waiting.size() > 1) {
      return false;
    }
    exhaustedAt = System.nanoTime();
    return true;
  }

  /** Answers whether the pool was exhausted until now, when this loop was the last to wait. */
  synchronized boolean waitsNoMore(String loop) {
    return waiting.remove(loop) && waiting.isEmpty();
  }

  synchronized boolean isExhausted() {
    return !waiting.isEmpty();
  }

  /** Since it was exhausted the last time. */
  synchronized Duration exhaustedFor() {
    return Duration.ofNanos(System.nanoTime() - exhaustedAt);
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
