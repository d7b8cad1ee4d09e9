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

  /** Of one statement, and the driver says it of this JVM too: others may well be answered. */
  private static final String OUT_OF_MEMORY = "53200";

  static final String READ_ONLY = "25006";

  /** A loop whose connection may be of another kind, and that no job waits for. */
  private static final String LISTENER = "listener";

  private boolean lost;
  private long lostAt;
  private boolean readOnly;
  private String lastError = "";
  private volatile int readOnlyMet;
  private volatile Runnable whenBack = () -> {};
  private final Set<String> waiting = new HashSet<>();
  private long exhaustedAt;

  /** Runs {@code action} whenever the database is back. */
  void whenBack(Runnable action) {
    whenBack = action;
  }

  /** Answers whether this failure of a loop is the first that says so. */
  synchronized boolean failed(String loop, Throwable failure) {
    if (isExhausted(failure) || !isAway(failure) || isOfListenerOnly(loop, failure)) {
      return false;
    }
    lastError = Reporter.wordsOf(failure);
    if (hasState(failure, READ_ONLY)) {
      readOnly = true;
      readOnlyMet++;
    }
    if (lost) {
      return false;
    }
    lost = true;
    lostAt = System.nanoTime();
    return true;
  }

  /** The driver of a wrapped connection may refuse to listen for a reason that it cannot say. */
  private static boolean isOfListenerOnly(String loop, Throwable failure) {
    return loop.equals(LISTENER)
        && failure instanceof StoreException refused
        && refused.sqlState().isEmpty();
  }

  private static boolean hasState(Throwable failure, String state) {
    return failure instanceof StoreException refused
        && refused.sqlState().filter(state::equals).isPresent();
  }

  /** Answers whether it was lost until now. */
  boolean worked() {
    synchronized (this) {
      if (!lost) {
        return false;
      }
      lost = false;
      readOnly = false;
    }
    whenBack.run();
    return true;
  }

  /**
   * How often a server refused to write. Connections that are kept may lead to the same one, which
   * those who keep them have to find out when this number has changed.
   */
  int readOnlyMet() {
    return readOnlyMet;
  }

  /** Whether it is lost because a server was read-only, whatever was met since. */
  synchronized boolean isReadOnly() {
    return lost && readOnly;
  }

  /** What the latest failure said by which it is lost. */
  synchronized String lastError() {
    return lastError;
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

  /**
   * No connection, a login that is refused, a database that does not exist, a server that shuts
   * down or starts, resources used up, a read-only standby.
   */
  static boolean isAway(Throwable failure) {
    return failure instanceof StoreException refused
        && refused
            .sqlState()
            .map(
                state ->
                    state.startsWith("08")
                        || state.startsWith("28")
                        || state.equals("3D000")
                        || state.startsWith("57P")
                        || (state.startsWith("53") && !state.equals(OUT_OF_MEMORY))
                        || state.equals(READ_ONLY))
            .orElse(true);
  }
}
