package dev.skipjack.store.jooq;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * The execution behind which a rescue may begin to search for expired leases.
 *
 * <p>A long transaction anywhere in the database keeps the index entries of ended attempts alive.
 * They are at the head of the running index, where every rescue begins, and each sweep walks all of
 * them: after an hour at 3,000 jobs a second this takes longer than a timeout allows. A sweep that
 * begins behind the oldest attempt that was running two sweeps ago skips them.
 *
 * <p>A mark is a hint. Execution ids ascend, so an attempt can appear below it only if its claim
 * drew the id before and took two sweeps to commit, or if the server has lost commits. A sweep
 * without a mark, once a minute, finds such attempts. Marks are used only while sweeps without one
 * are slow, so on a healthy database every sweep begins at the head.
 *
 * <p>A process that starts while such a transaction is open may never end a sweep without a mark.
 * If such a sweep times out and nothing is known, the mark is the oldest attempt that this process
 * has claimed. Older attempts then wait until a sweep without a mark succeeds, here or in another
 * process; each minute one is tried.
 *
 * <p>A mark cannot skip attempts that ended after the oldest running attempt began.
 *
 * <p>In memory only. Times are of {@link System#nanoTime()}. Safe for any number of threads.
 */
final class RescueMark {

  /** The longest that a sweep without a mark takes on a healthy database if it finds nothing. */
  static final Duration FAST = Duration.ofMillis(20);

  static final Duration UNMARKED_EVERY = Duration.ofMinutes(1);

  private final long fast;
  private boolean inForce;
  private long unmarkedAt;
  private long before;
  private long latest;

  /** Execution of the oldest attempt that was claimed here. */
  private volatile long claimed = Long.MAX_VALUE;

  /**
   * @param fast instead of {@link #FAST}; negative: no sweep ever is
   */
  RescueMark(Duration fast) {
    this.fast = fast.toNanos();
  }

  /** The execution behind which the sweep that begins now may search; 0: it must search all. */
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
   * @param after the execution behind which it began
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

  /** Learns of an attempt that this process has claimed. */
  void claimed(long execution) {
    if (execution < claimed) {
      synchronized (this) {
        claimed = Math.min(claimed, execution);
      }
    }
  }

  /**
   * Learns that a sweep timed out.
   *
   * @param after where it began
   * @param began when
   * @param now after which the next sweep without a mark waits for its turn
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
   * Learns which attempt was the oldest that ran.
   *
   * @param oldest empty if none ran: nothing is known then but what was
   */
  synchronized void learn(OptionalLong oldest) {
    before = latest;
    if (oldest.isPresent()) {
      latest = oldest.getAsLong() - 1;
    }
  }
}
