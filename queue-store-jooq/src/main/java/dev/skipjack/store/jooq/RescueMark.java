package dev.skipjack.store.jooq;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * Determines the mark: the execution id above which a rescue searches for expired leases.
 *
 * <p>While any transaction of the database stays open, PostgreSQL keeps the index entries of
 * attempts that have ended since. They are at the beginning of the running index, and every sweep
 * without a mark reads all of them. After an hour at 3,000 jobs per second, a sweep takes longer
 * than its timeout. The mark is one less than the id of the oldest attempt that was running two
 * sweeps ago, so a sweep with a mark skips these entries.
 *
 * <p>An attempt can appear below the mark if its claim took two sweeps to commit, or if the server
 * has lost commits. A sweep without a mark, once a minute, finds such attempts. The mark is used
 * only while sweeps without a mark are slow.
 *
 * <p>A process that starts while such a transaction is open may never finish a sweep without a
 * mark. If such a sweep times out and there is no mark, the mark is placed before the oldest
 * attempt that this process has claimed. Older attempts then wait until a sweep without a mark
 * succeeds in any process.
 *
 * <p>A sweep with a mark still reads the index entries of attempts that were claimed after the
 * oldest running one and have ended.
 *
 * <p>The mark is kept in memory only. Times are values of {@link System#nanoTime()}. Safe for any
 * number of threads.
 */
final class RescueMark {

  /** The maximum duration of a sweep without a mark that finds nothing in a healthy database. */
  static final Duration FAST = Duration.ofMillis(20);

  static final Duration UNMARKED_EVERY = Duration.ofMinutes(1);

  private final long fast;
  private boolean inForce;
  private long unmarkedAt;
  private long before;
  private long latest;

  /** The execution of the oldest attempt that this process has claimed. */
  private volatile long claimed = Long.MAX_VALUE;

  /**
   * @param fast replaces {@link #FAST}; if negative, no sweep counts as fast
   */
  RescueMark(Duration fast) {
    this.fast = fast.toNanos();
  }

  /** Returns the mark for a sweep that begins now, or 0 for a sweep without a mark. */
  synchronized long begin(long now) {
    if (!inForce || before == 0 || now - unmarkedAt >= UNMARKED_EVERY.toNanos()) {
      unmarkedAt = now;
      return 0;
    }
    return before;
  }

  /**
   * Records how long the first search of a sweep took.
   *
   * @param after the execution after which the search began
   * @return whether the oldest running attempt must be read for {@link #learn}
   */
  synchronized boolean searched(long after, long nanos) {
    if (after == 0) {
      inForce = nanos > fast;
      if (!inForce) {
        before = 0;
        latest = 0;
      }
    }
    return inForce;
  }

  /** Records an attempt that this process has claimed. */
  void claimed(long execution) {
    if (execution < claimed) {
      synchronized (this) {
        claimed = Math.min(claimed, execution);
      }
    }
  }

  /**
   * Records that a sweep timed out.
   *
   * @param after the execution after which the sweep began
   * @param began the time when it began
   * @param now the current time, from which the wait for the next sweep without a mark is measured
   */
  synchronized void timedOut(long after, long began, long now) {
    if (after != 0 || now - began <= fast) {
      return;
    }
    unmarkedAt = now;
    if (before == 0) {
      before = latest != 0 || claimed == Long.MAX_VALUE ? latest : claimed - 1;
      latest = before;
    }
    inForce = before != 0;
  }

  /**
   * Records the oldest running attempt.
   *
   * @param oldest the attempt, or empty if none was running
   */
  synchronized void learn(OptionalLong oldest) {
    before = latest;
    if (oldest.isPresent()) {
      latest = oldest.getAsLong() - 1;
    }
  }
}
