package dev.skipjack.worker;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The due time from which a claim may begin to read each lane.
 *
 * <p>A long transaction anywhere in the database keeps the index entries of finished jobs alive.
 * They pile up at the head of each lane, where every claim begins, and claims get slower by the
 * minute. A claim that begins where the last one ended steps over them.
 *
 * <p>A mark is a hint, and correctness does not depend on it. A job may appear below its lane's
 * mark if its transaction committed late, if another worker locked and unlocked it, if its priority
 * or due time was edited by hand, or if it was released before it began, because it then keeps its
 * due time. (A job that fails, is snoozed or is rescued gets a new due time above every mark.) A
 * <i>sweep</i> finds all such jobs. It consists of a listing of lanes and a claim without hints,
 * and is due after two seconds, or after twenty times its own duration if that is longer, but after
 * twenty seconds at most. So marks can delay a job by that time and never lose one. Each sweep
 * resets all marks: a lane then has a mark only if the sweep read it, and the mark is where that
 * read ended. A thousand stragglers are thus found together, not a few in each sweep.
 *
 * <p>Marks are used only while the database is slow, so that a healthy one keeps exact order: a
 * claim without hints must take longer than 5 ms plus 50 microseconds for each job it returns,
 * three times in a row. Three fast claims in a row end their use. Dead entries slow down every
 * claim; a garbage collection, a checkpoint or a lost packet slows down one claim and would distort
 * an average for long.
 *
 * <p>The listing itself reads the dead entries of every lane, so a claim that returns no job is
 * followed by a sweep only if twenty times the duration of the last sweep has passed. Until then,
 * claims from idle lanes, from which no job was claimed for a second, find new jobs by their marks.
 *
 * <p>Marks are dropped
 *
 * <ul>
 *   <li>when no job was claimed from the lane for a minute, or for a second in a healthy database;
 *   <li>when the database's time steps back, which claimed jobs show: new jobs are then due below
 *       the mark;
 *   <li>when a call of the store failed. A change of server, by restart, failover or promotion,
 *       always breaks the connections first. A pool or proxy may hide that from a worker between
 *       two claims; then the next sweep corrects the marks.
 * </ul>
 *
 * <p>Edits by hand come from other processes or bypass the worker, so they cannot make it drop a
 * mark; the next sweep finds the job.
 *
 * <p>Kept in memory only. Times without a unit are values of {@link System#nanoTime()}. Confined to
 * one thread.
 */
final class LowWaterMarks {

  /** The longest that a claim of no jobs takes in a healthy database. */
  static final Duration FAST = Duration.ofMillis(5);

  /**
   * How far a mark stays behind the last job claimed, so that transactions of at most this duration
   * are not missed.
   */
  static final Duration LAG = Duration.ofMillis(100);

  private static final long FAST_FOR_EACH_JOB = Duration.ofNanos(50_000).toNanos();
  private static final int IN_A_ROW = 3;
  private static final long SHORTEST_INTERVAL = Duration.ofSeconds(2).toNanos();
  private static final int INTERVAL_BY_DURATION = 20;

  /**
   * The longest that stragglers and new lanes wait for the next sweep, however long a sweep takes.
   */
  private static final long LONGEST_INTERVAL = Duration.ofSeconds(20).toNanos();

  private static final long IDLE = Duration.ofSeconds(1).toNanos();

  /** Bounds how many idle lanes are kept, and how many dead entries lie above their marks. */
  private static final long KEPT = Duration.ofMinutes(1).toNanos();

  private static final class Mark {
    Instant low = Instant.MIN;
    long claimedAt;
    int sweep;
  }

  private final long fast;
  private final Map<Lane, Mark> marks = new HashMap<>();
  private final Set<Lane> lookedInto = new HashSet<>();
  private Instant databaseTime = Instant.MIN;
  private boolean inForce;
  private int contrary;
  private int sweep;
  private long sweptAt;
  private long sweepNanos;

  /**
   * @param fast replaces {@link #FAST}; if negative, no claim counts as fast
   */
  LowWaterMarks(Duration fast) {
    this.fast = fast.toNanos();
  }

  /** Whether the database is slow enough for marks to pay off. */
  boolean inForce() {
    return inForce;
  }

  /** Whether the lanes must be listed and the next claim must use no hints. */
  boolean isSweepDue(long now) {
    return now - sweptAt >= SHORTEST_INTERVAL && isSweepAffordable(now);
  }

  /** Whether a sweep now takes at most a twentieth of the time, or is required anyway. */
  boolean isSweepAffordable(long now) {
    return now - sweptAt >= Math.min(INTERVAL_BY_DURATION * sweepNanos, LONGEST_INTERVAL);
  }

  /**
   * Resets all marks after the lanes were listed. The listing has also read the lanes in which it
   * found no due job.
   *
   * @param began when the listing began
   * @param nanos how long the listing took
   */
  void sweep(long began, long nanos, Set<Lane> due, Set<String> paused) {
    sweep++;
    sweptAt = began;
    sweepNanos = nanos;
    lookedInto.clear();
    long kept = inForce ? KEPT : IDLE;
    marks
        .entrySet()
        .removeIf(
            mark ->
                began - mark.getValue().claimedAt >= kept
                    || paused.contains(mark.getKey().queue()));
    marks.forEach(
        (lane, mark) -> {
          if (!due.contains(lane)) {
            mark.sweep = sweep;
          }
        });
  }

  /**
   * Returns the due time from which to read the lane; null to read all of it, or if the lane is
   * idle.
   */
  @Nullable Instant of(Lane lane, long now) {
    Mark mark = valid(lane);
    return mark == null || isIdle(mark, now) ? null : mark.low;
  }

  /**
   * Like {@link #of}, for a lane from which no job was claimed for a second; null for all others.
   */
  @Nullable Instant ofIdle(Lane lane, long now) {
    Mark mark = valid(lane);
    return mark == null || !isIdle(mark, now) ? null : mark.low;
  }

  /** Whether the lane has a mark, idle or not. */
  boolean has(Lane lane) {
    return valid(lane) != null;
  }

  private @Nullable Mark valid(Lane lane) {
    if (!inForce) {
      return null;
    }
    Mark mark = marks.get(lane);
    return mark == null || mark.sweep != sweep ? null : mark;
  }

  private static boolean isIdle(Mark mark, long now) {
    return now - mark.claimedAt >= IDLE;
  }

  /** Updates the marks from a claim that has just returned. */
  void claimed(ClaimAnswer answer, long now) {
    boolean hinted = false;
    boolean sweeping = false;
    for (int i = 0; i < answer.visited(); i++) {
      boolean hint = answer.share(i).lowWater() != null;
      hinted |= hint;
      // A later claim from the same lane is not part of the sweep; counting it would delay the next
      // sweep.
      sweeping |= !hint && lookedInto.add(answer.share(i).lane());
    }
    if (sweeping) {
      sweepNanos += answer.nanos();
    }
    if (!hinted) {
      judge(answer);
    }
    if (hasTimeSteppedBack(answer)) {
      drop();
      if (hinted) {
        return; // this claim began at outdated marks
      }
    }
    for (int i = 0; i < answer.visited(); i++) {
      learn(answer.share(i), answer.last(i), now);
    }
  }

  private void judge(ClaimAnswer answer) {
    boolean slow = answer.nanos() >= fast + answer.jobs().size() * FAST_FOR_EACH_JOB;
    contrary = slow == inForce ? 0 : contrary + 1;
    if (contrary == IN_A_ROW) {
      inForce = slow;
      contrary = 0;
    }
  }

  private boolean hasTimeSteppedBack(ClaimAnswer answer) {
    Instant before = databaseTime;
    boolean back = false;
    Instant highest = Instant.MIN;
    for (ClaimedJob job : answer.jobs()) {
      Instant at = job.startedAt();
      back |= at.isBefore(before);
      highest = at.isAfter(highest) ? at : highest;
    }
    if (!answer.jobs().isEmpty()) {
      databaseTime = highest;
    }
    return back;
  }

  private void learn(LaneShare share, @Nullable ClaimedJob last, long now) {
    boolean fromTheHead = share.lowWater() == null;
    Mark mark = marks.get(share.lane());
    if (last != null) {
      Instant low = last.scheduledAt().minus(LAG);
      if (mark == null) {
        mark = new Mark();
        marks.put(share.lane(), mark);
      }
      mark.low = fromTheHead || low.isAfter(mark.low) ? low : mark.low;
      mark.claimedAt = now;
    }
    if (mark != null && fromTheHead) {
      mark.sweep = sweep;
    }
  }

  /** Drops every mark, because the marks may come from another server. */
  void clear() {
    drop();
    databaseTime = Instant.MIN;
  }

  /** Afterwards only a sweep finds exhausted lanes, so it must not be postponed. */
  private void drop() {
    marks.clear();
    sweepNanos = 0;
  }
}
