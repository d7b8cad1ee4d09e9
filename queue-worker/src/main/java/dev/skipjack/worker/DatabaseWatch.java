package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Tracks whether the database is available and whether the pool has free connections, based on the
 * results of the loops.
 *
 * <p>The database counts as lost while any loop that jobs depend on fails because the database is
 * unavailable. The success of one loop does not prove that the others will succeed. For example,
 * reads succeed on a server that is read-only or whose disk is full.
 *
 * <p>The pool counts as exhausted while any loop except the listener fails to get a connection. The
 * success of another loop does not change that, because some loops, such as the heartbeat, have
 * separate connections.
 */
final class DatabaseWatch {

  /**
   * The SQLSTATE of a statement that ran out of memory. The driver also uses it when this JVM is
   * out of memory. Other statements may succeed, so it does not mean that the database is lost.
   */
  private static final String OUT_OF_MEMORY = "53200";

  static final String READ_ONLY = "25006";

  /**
   * The role of the listener. Its connections may come from a separate data source and lead to
   * another server.
   */
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

  /**
   * Registers an action that runs whenever a loop that had failed because of the database succeeds.
   */
  void whenBack(Runnable action) {
    whenBack = action;
  }

  /**
   * Records a failure of a loop. Returns true if the database was available before and is lost now.
   */
  synchronized boolean failed(String loop, Throwable failure) {
    if (isExhausted(failure) || !isAway(failure)) {
      failing.remove(loop); // it now fails for another reason
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
   * Returns whether jobs can run without this loop. Failures of such a loop cause a warning and
   * never an outage.
   */
  static boolean isOptional(String loop) {
    return loop.equals(LISTENER) || loop.equals(MAINTAINER) || loop.equals(Scheduler.ROLE);
  }

  private static boolean hasState(Throwable failure, String state) {
    return failure instanceof StoreException refused
        && refused.sqlState().filter(state::equals).isPresent();
  }

  /** Records that a loop succeeded. Returns true if this ends an outage of the database. */
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

  /**
   * Records that a loop succeeded without a statement, so that it no longer indicates whether the
   * database is available.
   */
  synchronized void askedNothing(String loop) {
    failing.remove(loop);
  }

  /**
   * Returns how many times a server was found to be read-only. When this number has changed, every
   * component that keeps a connection must check that connection, because it may lead to the same
   * server.
   */
  int readOnlyMet() {
    return readOnlyMet;
  }

  /**
   * Returns whether the database is lost and a server was read-only during this outage, even if a
   * loop has failed for another reason since.
   */
  synchronized boolean isReadOnly() {
    return lost && readOnly;
  }

  /** Returns the message of the latest failure that showed that the database is unavailable. */
  synchronized String lastError() {
    return lastError;
  }

  /** Returns whether the failure means that the pool had no free connection. */
  static boolean isExhausted(Throwable failure) {
    return failure instanceof StoreException refused && refused.isPoolExhausted();
  }

  /** Records that a loop did not get a connection. Returns whether this begins a shortage. */
  synchronized boolean waits(String loop) {
    if (loop.equals(LISTENER) || !waiting.add(loop) || waiting.size() > 1) {
      return false;
    }
    exhaustedAt = System.nanoTime();
    return true;
  }

  /** Records that a loop no longer waits for a connection. Returns whether this ends a shortage. */
  synchronized boolean waitsNoMore(String loop) {
    return waiting.remove(loop) && waiting.isEmpty();
  }

  synchronized boolean isExhausted() {
    return !waiting.isEmpty();
  }

  /** Returns the time since the latest shortage of connections began. */
  synchronized Duration exhaustedFor() {
    return Duration.ofNanos(System.nanoTime() - exhaustedAt);
  }

  synchronized boolean isLost() {
    return lost;
  }

  /** Returns the time since the latest outage of the database began. */
  synchronized Duration duration() {
    return Duration.ofNanos(System.nanoTime() - lostAt);
  }

  /**
   * Returns whether the failure means that the database is unavailable or read-only, rejects the
   * login, or has no free resources. Returns true for a store's failure without an SQLSTATE.
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
