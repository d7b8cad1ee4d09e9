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
 * From which due time on a claim may begin to look in each lane.
 *
 * <p>A long transaction anywhere in the database keeps the index entries of finished jobs alive.
 * They pile up at the head of each lane, where every claim begins, and claims get slower by the
 * minute. A claim that begins where the last one ended steps over them.
 *
 * <p>A mark is a hint and nothing depends on it. Below it may appear: a job whose transaction
 * committed late; one that a rival had locked and let go; one whose priority or due time was edited
 * by hand; one that was released before it began, which keeps its due time. (What fails, is snoozed
 * or rescued becomes due anew, above every mark.) All these are found by a <i>sweep</i>, a listing
 * of lanes and a claim without hints, which is due after two seconds, or after twenty times its own
 * duration when it takes longer, but twenty seconds at most. So marks can delay a job by that much
 * and never lose one. Each sweep begins all marks anew: a lane has one only if the sweep looked
 * into it, and then the mark is where that look ended. A thousand stragglers are thus found
 * together, not a few a sweep.
 *
 * <p>Marks are passed only while the database is slow, so that a healthy one keeps exact order: a
 * claim without hints must take longer than 5 ms, and 50 microseconds for each job it brings, three
 * times in a row. Three fast ones in a row end it. Dead entries slow down every claim; a pause of
 * the collector, a checkpoint or a lost packet slows down one, and would spoil an average for long.
 *
 * <p>The listing itself walks the dead entries of every lane, so a claim that brings nothing is
 * followed by a sweep only if twenty times the duration of the last one has passed. Until then
 * claims from idle lanes, from which nothing was claimed for a second, find new jobs by their
 * marks.
 *
 * <p>Marks are dropped
 *
 * <ul>
 *   <li>when nothing was claimed from the lane for a minute, or a second in a healthy database;
 *   <li>when the database's time steps back, which claimed jobs tell: new jobs are then due below;
 *   <li>when a call of the store failed. Another server, by restart, failover or promotion, always
 *       breaks the connections first. A pool or proxy may hide that from a worker between two
 *       claims; then the next sweep corrects the marks.
 * </ul>
 *
 * <p>Edits by hand come from other processes, or past the worker, so no one can tell it to drop a
 * mark; the next sweep finds the job.
 *
 * <p>In memory only. Times without a unit are of {@link System#nanoTime()}. Belongs to one thread.
 */
final class LowWaterMarks {

  /** What a claim of no jobs takes at most in a healthy database. */
  static final Duration FAST = Duration.ofMillis(5);

  /**
   * How far a mark stays behind the last job claimed, so that transactions that take not longer are
   * not missed.
   */
  static final Duration LAG = Duration.ofMillis(100);

  private static final long FAST_FOR_EACH_JOB = Duration.ofNanos(50_000).toNanos();
  private static final int IN_A_ROW = 3;
  private static final long SHORTEST_INTERVAL = Duration.ofSeconds(2).toNanos();
  private static final int INTERVAL_BY_DURATION = 20;

  /** Whatever a sweep takes, stragglers and new lanes wait for the next one no longer than this. */
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
   * @param fast instead of {@link #FAST}; negative: no claim ever is
   */
  LowWaterMarks(Duration fast) {
    this.fast = fast.toNanos();
  }

  /** Whether the database is slow enough for marks to be worth their price. */
  boolean inForce() {
    return inForce;
  }

  /** Whether the next claim must do without hints, after the lanes were listed. */
  boolean isSweepDue(long now) {
    return now - sweptAt >= SHORTEST_INTERVAL && isSweepAffordable(now);
  }

  /** Whether a sweep now takes a twentieth of the time at most, or must be made all the same. */
  boolean isSweepAffordable(long now) {
    return now - sweptAt >= Math.min(INTERVAL_BY_DURATION * sweepNanos, LONGEST_INTERVAL);
  }

  /**
   * Begins all marks anew after the lanes were listed. The listing has looked into those it did not
   * find.
   *
   * @param began when the listing began
   * @param nanos how long it took
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

  /** Nothing due before this is worth looking at; null: everything is, or the lane is idle. */
  @Nullable Instant of(Lane lane, long now) {
    Mark mark = valid(lane);
    return mark == null || isIdle(mark, now) ? null : mark.low;
  }

  /** As {@link #of}, of a lane from which nothing was claimed for a second; null for all others. */
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

  /** Learns from a claim that has just been answered. */
  void claimed(ClaimAnswer answer, long now) {
    boolean hinted = false;
    boolean sweeping = false;
    for (int i = 0; i < answer.visited(); i++) {
      boolean hint = answer.share(i).lowWater() != null;
      hinted |= hint;
      // A later look into the same lane is no part of the sweep: counted, it would put off the
      // next.
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
        return; // what it looked at began at marks of another time
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

  /** Drops every mark: what is known may be of another server. */
  void clear() {
    drop();
    databaseTime = Instant.MIN;
  }

  /** Exhausted lanes are found by nothing but a sweep then, so it must not be put off. */
  private void drop() {
    marks.clear();
    sweepNanos = 0;
  }
}
