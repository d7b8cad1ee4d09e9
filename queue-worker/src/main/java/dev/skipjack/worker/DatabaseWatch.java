package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Whether the database is available and whether the pool has connections, judged by the results of
 * the loops.
 *
 * <p>The database is lost with the first failure of a loop that jobs depend on, and back when no
 * such loop still fails for that reason. Another loop's success is not enough, because it may need
 * less: reads succeed on a read-only server or one whose disk is full.
 *
 * <p>The pool is exhausted while any loop waits for a connection in vain. Another loop's success
 * does not change that: the heartbeat, for example, has its own connection.
 */
final class DatabaseWatch {

  /**
   * Concerns one statement, and the driver also reports it for this JVM: other statements may
   * succeed.
   */
  private static final String OUT_OF_MEMORY = "53200";

  static final String READ_ONLY = "25006";

  /** Its connections may come from a separate data source and lead to another server. */
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

  /** Runs {@code action} whenever a loop reaches the database after it could not. */
  void whenBack(Runnable action) {
    whenBack = action;
  }

  /** Returns whether this failure of a loop is the first sign that the database is lost. */
  synchronized boolean failed(String loop, Throwable failure) {
    if (isExhausted(failure) || !isAway(failure)) {
      failing.remove(loop); // it fails for another reason now; lost until a loop gets a response
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
   * Whether jobs run without this loop: polling finds jobs without wake-ups, and partitions are
   * created days ahead. Failures of such a loop are a warning and never an outage.
   */
  static boolean isOptional(String loop) {
    return loop.equals(LISTENER) || loop.equals(MAINTAINER);
  }

  private static boolean hasState(Throwable failure, String state) {
    return failure instanceof StoreException refused
        && refused.sqlState().filter(state::equals).isPresent();
  }

  /** Returns whether the database was lost until this loop got a response. */
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

  /** The loop sent no statement, so it can no longer show when the database is back. */
  synchronized void askedNothing(String loop) {
    failing.remove(loop);
  }

  /**
   * How often a server refused to write. Kept connections may lead to the same server, so their
   * owners must check them when this number has changed.
   */
  int readOnlyMet() {
    return readOnlyMet;
  }

  /** Whether it is lost because a server was read-only, even if a loop failed differently since. */
  synchronized boolean isReadOnly() {
    return lost && readOnly;
  }

  /** The message of the latest failure that shows that the database is lost. */
  synchronized String lastError() {
    return lastError;
  }

  /** Whether this loop failed because the pool had no free connection. */
  static boolean isExhausted(Throwable failure) {
    return failure instanceof StoreException refused && refused.isPoolExhausted();
  }

  /** Returns whether this loop is the first to wait in vain for a connection. */
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

  /** The time since the pool was last exhausted. */
  synchronized Duration exhaustedFor() {
    return Duration.ofNanos(System.nanoTime() - exhaustedAt);
  }

  synchronized boolean isLost() {
    return lost;
  }

  /** The time since the database was last lost. */
  synchronized Duration duration() {
    return Duration.ofNanos(System.nanoTime() - lostAt);
  }

  /**
   * Whether the failure means that the database is unavailable: no connection, a refused login, a
   * missing database, a server that starts or shuts down, exhausted resources, or a read-only
   * standby.
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
