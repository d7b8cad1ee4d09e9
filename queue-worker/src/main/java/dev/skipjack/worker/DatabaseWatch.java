package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Whether the database is available, judged by what the loops meet: lost with the first failure of
 * a loop that jobs depend on, back when no such loop still fails for that reason. Another loop's
 * success is not enough, because it may need less: reads succeed on a read-only server or one whose
 * disk is full. And whether the pool has connections: exhausted while any loop waits for one in
 * vain, whatever others get, since the heartbeat for one has its own.
 */
final class DatabaseWatch {

  /** Of one statement, and the driver says it of this JVM too: others may well be answered. */
  private static final String OUT_OF_MEMORY = "53200";

  static final String READ_ONLY = "25006";

  /** Its connections may come from a data source of its own, and lead elsewhere. */
  static final String LISTENER = "listener";

  static final String MAINTAINER = "maintainer";

  private boolean lost;
  private final Set<String> failing = new HashSet<>();
  private long lostAt;
  private boolean readOnly;
  private String lastError = "";
  private volatile int readOnlyMet;
  private volatile Runnable whenBack = () -> {};
  private final Set<String> waiting = new HashSet<>();
  private long exhaustedAt;

  /** Runs {@code action} whenever a loop reaches the database that could not do so before. */
  void whenBack(Runnable action) {
    whenBack = action;
  }

  /** Returns whether this failure of a loop is the first that shows it. */
  synchronized boolean failed(String loop, Throwable failure) {
    if (isExhausted(failure) || !isAway(failure)) {
      failing.remove(loop); // has another trouble now; lost until a loop gets an answer
      return false;
    }
    failing.add(loop);
    if (isOptional(loop)) {
      return false;
    }
    lastError = LogText.of(failure);
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

  /**
   * Whether jobs run well without this loop: without wake-ups they are found by polling, and
   * partitions are created days ahead. Its failures are a warning and never an outage.
   */
  static boolean isOptional(String loop) {
    return loop.equals(LISTENER) || loop.equals(MAINTAINER);
  }

  private static boolean hasState(Throwable failure, String state) {
    return failure instanceof StoreException refused
        && refused.sqlState().filter(state::equals).isPresent();
  }

  /** Returns whether the database was lost until this loop got an answer. */
  boolean worked(String loop) {
    boolean recovered;
    boolean isBack;
    synchronized (this) {
      recovered = failing.remove(loop);
      isBack =
          lost && !loop.equals(LISTENER) && failing.stream().allMatch(DatabaseWatch::isOptional);
      if (isBack) {
        lost = false;
        readOnly = false;
      }
    }
    if (recovered) {
      whenBack.run();
    }
    return isBack;
  }

  /** The loop had nothing to ask, so it can no longer tell when the database is back. */
  synchronized void askedNothing(String loop) {
    failing.remove(loop);
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

  /** Returns whether this loop is the first that waits in vain for a connection. */
  synchronized boolean waits(String loop) {
    if (loop.equals(LISTENER) || !waiting.add(loop) || waiting.size() > 1) {
      return false;
    }
    exhaustedAt = System.nanoTime();
    return true;
  }

  /** Returns whether the pool was exhausted until now, when this loop was the last to wait. */
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
