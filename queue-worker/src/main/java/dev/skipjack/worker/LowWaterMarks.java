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
 * Keeps a mark for each lane: the due time from which a claim may begin to read the lane.
 *
 * <p>During a long transaction anywhere in the database, the index entries of finished jobs cannot
 * be removed. They accumulate at the head of each lane, where every claim begins, and slow down
 * claims. A claim that begins where the last one ended skips these entries.
 *
 * <p>Marks are hints, and correctness does not depend on them. A job may appear below the mark of
 * its lane if its transaction committed late, if another worker locked and unlocked it, or if its
 * priority or due time was changed manually. A job that was released before it began, or that
 * waited for its ordering key, may also appear there, because it keeps its due time. A <i>sweep</i>
 * finds all such jobs. It consists of a listing of lanes and a claim without marks. The next sweep
 * is due after two seconds, or after twenty times the duration of the last one if that is longer,
 * but after at most twenty seconds. The two seconds do not apply if the worker has claimed a job
 * with an ordering key since the last sweep. The end of that job promotes the next job of its key,
 * which is often due below the mark. Marks can therefore delay a job until the next sweep, but
 * never lose one. Each sweep invalidates all marks, except those of the lanes that it reads.
 *
 * <p>Marks are used only while the database is slow, so that a healthy database keeps the exact
 * order. The database counts as slow after three successive claims without marks that each took
 * more than 5 ms plus 50 microseconds for each job returned. It counts as healthy again after three
 * fast claims in a row, and after the first of them, the two seconds do not apply to the next
 * sweep. Dead index entries slow down every claim, whereas a garbage collection, a checkpoint or a
 * lost packet slows down only one. If claims with marks are slow as well, the machine is busy, and
 * dead entries are not the cause.
 *
 * <p>The listing itself reads the dead entries of every lane. A claim that returns no job is
 * therefore followed by a sweep only if at least twenty times the duration of the last sweep, or
 * twenty seconds, have passed. Until then, claims use the marks to find new jobs in idle lanes. A
 * lane is idle if no job was claimed from it for a second.
 *
 * <p>A mark is dropped
 *
 * <ul>
 *   <li>at a sweep, when the queue is paused, or no job was claimed from the lane for a minute, or
 *       for a second in a healthy database;
 *   <li>when the claimed jobs show that the database's clock was set back, because new jobs are
 *       then due below the mark;
 *   <li>when a call of the store failed. A change of server, by restart, failover or promotion,
 *       breaks the connections first. If a pool or proxy hides that from the worker, the next sweep
 *       corrects the marks.
 * </ul>
 *
 * <p>Manual changes of jobs drop no mark. The next sweep finds these jobs.
 *
 * <p>Marks are kept in memory only. Times without a unit are values of {@link System#nanoTime()}.
 * Confined to one thread.
 */
final class LowWaterMarks {

  /** The maximum duration of a claim that returns no jobs from a healthy database. */
  static final Duration FAST = Duration.ofMillis(5);

  /**
   * The distance between a mark and the last job claimed. Jobs of transactions that take no longer
   * than this are found without a sweep.
   */
  static final Duration LAG = Duration.ofMillis(100);

  private static final long FAST_FOR_EACH_JOB = Duration.ofNanos(50_000).toNanos();
  private static final int IN_A_ROW = 3;
  private static final long SHORTEST_INTERVAL = Duration.ofSeconds(2).toNanos();
  private static final int INTERVAL_BY_DURATION = 20;

  /**
   * The maximum interval between sweeps, and thus the longest wait of jobs below a mark and of new
   * lanes.
   */
  private static final long LONGEST_INTERVAL = Duration.ofSeconds(20).toNanos();

  private static final long IDLE = Duration.ofSeconds(1).toNanos();

  /**
   * How long the mark of an idle lane is kept. Bounds the number of idle lanes, and the number of
   * dead entries above their marks.
   */
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

  /** Whether claims were recently slow although marks skipped the dead entries. */
  private boolean slowWithMarks;

  private int contraryWithMarks;
  private int sweep;
  private long sweptAt;
  private long sweepNanos;
  private boolean expectsPromotion;

  /**
   * @param fast replaces {@link #FAST}; if negative, no claim counts as fast
   */
  LowWaterMarks(Duration fast) {
    this.fast = fast.toNanos();
  }

  /** Returns whether the database is slow enough for marks to be useful. */
  boolean inForce() {
    return inForce;
  }

  /**
   * Returns whether reading a lane from its beginning is slow because of dead index entries, and
   * not because everything is slow.
   */
  boolean skipDeadEntries() {
    return inForce && !slowWithMarks;
  }

  /** Returns whether the lanes must be listed, and the next claim must not use marks. */
  boolean isSweepDue(long now) {
    boolean recovering = inForce && contrary > 0;
    return (expectsPromotion || recovering || now - sweptAt >= SHORTEST_INTERVAL)
        && isSweepAffordable(now);
  }

  /**
   * Returns whether sweeps take at most about a twentieth of the time if one runs now, or the last
   * one began at least {@link #LONGEST_INTERVAL} ago.
   */
  boolean isSweepAffordable(long now) {
    return now - sweptAt >= Math.min(INTERVAL_BY_DURATION * sweepNanos, LONGEST_INTERVAL);
  }

  /**
   * Resets all marks after the lanes were listed. A listing also reads the lanes that have no due
   * job.
   *
   * @param began the time when the listing began
   * @param nanos the duration of the listing in nanoseconds
   */
  void sweep(long began, long nanos, Set<Lane> due, Set<String> paused) {
    sweep++;
    sweptAt = began;
    sweepNanos = nanos;
    expectsPromotion = false;
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
   * Returns the due time from which to read the lane, or null if the lane has no mark or is idle. A
   * lane without a mark is read from its beginning.
   */
  @Nullable Instant of(Lane lane, long now) {
    Mark mark = valid(lane);
    return mark == null || isIdle(mark, now) ? null : mark.low;
  }

  /** Returns the due time from which to read an idle lane, or null for all other lanes. */
  @Nullable Instant ofIdle(Lane lane, long now) {
    Mark mark = valid(lane);
    return mark == null || !isIdle(mark, now) ? null : mark.low;
  }

  /** Returns whether the lane has a mark, idle or not. */
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
    expectsPromotion |= answer.jobs().stream().anyMatch(job -> job.execution().isOrdered());
    boolean hinted = false;
    boolean sweeping = false;
    for (int i = 0; i < answer.visited(); i++) {
      boolean hint = answer.share(i).lowWater() != null;
      hinted |= hint;
      // A later claim from the same lane is not part of the sweep.
      sweeping |= !hint && lookedInto.add(answer.share(i).lane());
    }
    if (sweeping) {
      sweepNanos += answer.nanos();
    }
    judge(isSlow(answer), hinted);
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

  private boolean isSlow(ClaimAnswer answer) {
    return answer.nanos() >= fast + answer.jobs().size() * FAST_FOR_EACH_JOB;
  }

  private void judge(boolean slow, boolean hinted) {
    if (hinted) {
      contraryWithMarks = slow == slowWithMarks ? 0 : contraryWithMarks + 1;
      if (contraryWithMarks == IN_A_ROW) {
        slowWithMarks = slow;
        contraryWithMarks = 0;
      }
      return;
    }
    contrary = slow == inForce ? 0 : contrary + 1;
    if (contrary == IN_A_ROW) {
      inForce = slow;
      contrary = 0;
      slowWithMarks = false;
      contraryWithMarks = 0;
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

  /** Drops all marks, because they may come from another server. */
  void clear() {
    drop();
    databaseTime = Instant.MIN;
  }

  /**
   * Drops all marks, and makes the next sweep affordable, because only a sweep can then find
   * exhausted lanes.
   */
  private void drop() {
    marks.clear();
    sweepNanos = 0;
  }
}
