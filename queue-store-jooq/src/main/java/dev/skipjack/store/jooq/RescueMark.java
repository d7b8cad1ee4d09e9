package dev.skipjack.store.jooq;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * From which execution on a rescue may begin to look for leases that have ended.
 *
 * <p>A long transaction anywhere in the database keeps the index entries of ended attempts alive.
 * They lie at the head of the running index, where every rescue begins, and each sweep walks all of
 * them: after an hour at 3,000 jobs a second it takes longer than a timeout allows. A sweep that
 * begins behind the oldest attempt that was running two sweeps ago steps over them.
 *
 * <p>A mark is a hint. Executions rise, so below it only the attempt of a claim can appear that
 * drew its number before and took two sweeps to commit, or one of a server that has lost commits.
 * These are found by a sweep without a mark, once a minute. Marks are used only while sweeps
 * without one are slow, so a healthy database runs the same statements as ever.
 *
 * <p>A process that starts while such a transaction is open may never end a sweep without a mark.
 * If such a sweep times out and nothing is known, the mark is the oldest attempt that this process
 * has claimed. Older attempts then wait until a sweep without a mark succeeds, here or in another
 * process; each minute one is tried.
 *
 * <p>What a mark cannot step over is what ended after the oldest attempt that still runs began.
 *
 * <p>In memory only. Times are of {@link System#nanoTime()}. Safe for any number of threads.
 */
final class RescueMark {

  /** What a sweep without a mark that finds nothing takes at most in a healthy database. */
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

  /** The execution behind which the sweep that begins now may look; 0: it must look at all. */
  synchronized long begin(long now) {
    if (!inForce || before == 0 || now - unmarkedAt >= UNMARKED_EVERY.toNanos()) {
      unmarkedAt = now;
      return 0;
    }
    return before;
  }

  /**
   * Learns how long the first look of a sweep took.
   *
   * @param after where it began
   * @return whether the oldest running attempt must be read for {@link #learn}
   */
  synchronized boolean looked(long after, long nanos) {
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
