package dev.skipjack.dedup;

import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Repeats calls in transactions of our own that the server aborted, so that nothing of them is
 * committed.
 *
 * <p>A deadlock, because a key that changes hands sends a call that holds later keys back to an
 * earlier one. A timeout, because so many rows took longer than a statement may: half as many a
 * statement then. Safe for any number of threads.
 */
final class OwnCalls {

  private static final String DEADLOCK = "40P01";

  /** Cancelled statement, lock not available. */
  private static final Set<String> TIMEOUTS = Set.of("57014", "55P03");

  /** Each is a second that the server took to notice, and one of the two calls always gets on. */
  private static final int MOST_DEADLOCKS = 10;

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  private OwnCalls() {}

  /**
   * What {@code call} answered for the number of rows a statement that it was given.
   *
   * @throws StoreException if it fails for another reason, with a timeout for a single row, or with
   *     too many deadlocks
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

  /** Answers false if the thread is interrupted: it gives up, and stays interrupted. */
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
