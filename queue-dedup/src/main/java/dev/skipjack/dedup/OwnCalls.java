package dev.skipjack.dedup;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Repeats calls that run in the queue's own transactions. A call is repeated only if the server has
 * aborted its transaction, because then none of its changes were committed.
 *
 * <p>Calls can deadlock if a key is released during a call ({@link UniqueCall}). After a timeout,
 * the next try halves the number of rows per statement. Thread-safe.
 */
final class OwnCalls {

  private static final String DEADLOCK = "40P01";

  /** SQLSTATEs of a cancelled statement and of a lock that was not available. */
  private static final Set<String> TIMEOUTS = Set.of("57014", "55P03");

  /**
   * The maximum number of deadlocks per call. By default, the server takes a second to detect a
   * deadlock.
   */
  private static final int MOST_DEADLOCKS = 10;

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  private OwnCalls() {}

  /**
   * Returns the result of {@code call}, which is passed the maximum number of rows per statement.
   *
   * @throws StoreException if the call fails for a reason other than a deadlock or a timeout, times
   *     out with a single row, or deadlocks too often, or if the thread is interrupted before the
   *     next try
   */
  static <R> R run(int mostRows, IntFunction<R> call) {
    int rows = mostRows;
    int deadlocks = 0;
    while (true) {
      try {
        return call.apply(rows);
      } catch (StoreException failure) {
        String state = failure.sqlState().orElse("");
        if (state.equals(DEADLOCK)) {
          deadlocks++;
        } else if (TIMEOUTS.contains(state) && rows > 1) {
          rows /= 2;
        } else {
          throw failure;
        }
        if (deadlocks == MOST_DEADLOCKS || !pause()) {
          throw failure;
        }
      }
    }
  }

  /**
   * Waits before the next try. Returns false if the thread is interrupted, so that the call fails.
   * The interrupt status is preserved.
   */
  private static boolean pause() {
    long half = LONGEST_PAUSE.toNanos() / 2;
    try {
      TimeUnit.NANOSECONDS.sleep(half + ThreadLocalRandom.current().nextLong(half + 1));
      return true;
    } catch (InterruptedException hurry) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
