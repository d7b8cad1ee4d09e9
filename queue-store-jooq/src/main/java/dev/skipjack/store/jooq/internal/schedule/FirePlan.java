package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a due schedule enqueues now, and its next planned time.
 *
 * @param fires the planned times of the jobs to enqueue, in order
 * @param next the planned time of the next job, or null if there is none
 */
record FirePlan(List<Instant> fires, @Nullable Instant next) {

  /**
   * The delay after which a planned time counts as missed, even if the next one has not been
   * reached.
   */
  static final Duration GRACE = Duration.ofMinutes(2);

  /**
   * The maximum number of jobs that one schedule enqueues at once. Later plans contain the others.
   */
  static final int LARGEST = 100;

  private static final Duration FIRST_WINDOW = Duration.ofMinutes(2);

  /** The maximum duration by which new time zone rules can make a planned time earlier. */
  private static final Duration LARGEST_RULE_CHANGE = Duration.ofHours(3);

  FirePlan {
    fires = List.copyOf(fires);
  }

  /**
   * Plans what a schedule enqueues.
   *
   * @param planned the next planned time of the schedule
   * @param after when the schedule last fired or changed
   * @param until the latest planned time that is due
   * @param missedUntil if the schedule was overdue when it was paused, the start of this pause,
   *     which ended at {@code after}. Planned times during the pause are left out. Otherwise null
   */
  static FirePlan of(
      StoredSchedule.Definition definition,
      Timing timing,
      Instant planned,
      Instant after,
      Instant until,
      @Nullable Instant missedUntil) {
    return definition.timing().countsFromLastFire()
        ? sinceLastFire(definition, timing, planned, until)
        : atFixedTimes(definition, timing, planned, after, until, missedUntil);
  }

  private static FirePlan sinceLastFire(
      StoredSchedule.Definition definition, Timing timing, Instant planned, Instant until) {
    Instant first = notExcepted(definition.timing(), timing, planned);
    if (first == null || first.isAfter(until)) {
      return new FirePlan(List.of(), first);
    }
    if (!first.equals(planned)) {
      return sinceLastFire(definition, timing, first, until);
    }
    Instant next = timing.next(planned).orElse(null);
    if (next != null && !next.isAfter(until)) {
      next = timing.next(until).orElse(null); // measured from now, because the schedule is late
    }
    return new FirePlan(
        isLeftOut(definition.missed(), planned, until) ? List.of() : List.of(planned), next);
  }

  /** Returns the planned time or, if its date is excluded, the next planned time. */
  private static @Nullable Instant notExcepted(
      StoredTiming stored, Timing timing, Instant planned) {
    Instant before = planned.minusSeconds(Objects.requireNonNull(stored.intervalSeconds()));
    // Timings reject times before the epoch.
    return before.isBefore(Instant.EPOCH) ? planned : timing.next(before).orElse(null);
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private static FirePlan atFixedTimes(
      StoredSchedule.Definition definition,
      Timing timing,
      Instant planned,
      Instant after,
      Instant until,
      @Nullable Instant missedUntil) {
    // The planned time itself, unless the timing or the rules of its time zone have changed since.
    Instant first = timing.next(planned.minusNanos(1)).orElse(null);
    if (!planned.equals(first)) {
      Instant earliest = planned.minus(LARGEST_RULE_CHANGE);
      Instant from = after.isAfter(earliest) ? after : earliest;
      if (from.isBefore(planned)) {
        first = timing.next(from).orElse(null);
      }
    }
    Instant upTo = missedUntil != null && missedUntil.isBefore(until) ? missedUntil : until;
    if (upTo.isBefore(until) && first != null && first.isAfter(upTo)) {
      first = timing.next(later(after, upTo)).orElse(null); // no time before the pause is left
      upTo = until;
    }
    if (first == null || first.isAfter(until)) {
      return new FirePlan(List.of(), first);
    }
    Missed missed = definition.missed();
    // Each job would cancel the one before it, so only the last is enqueued.
    int maximum = definition.overlap() == Overlap.CANCEL_PREVIOUS ? 1 : missed.maximum();
    List<Instant> fires = latest(timing, first, upTo, maximum);
    if (fires.size() > LARGEST) {
      return new FirePlan(fires.subList(0, LARGEST), fires.get(LARGEST));
    }
    Instant next = timing.next(upTo.isBefore(until) ? later(after, upTo) : until).orElse(null);
    boolean leftOut = isLeftOut(missed, fires.get(fires.size() - 1), until);
    return new FirePlan(leftOut ? List.of() : fires, next);
  }

  /** Returns the part of this plan before {@code fire}, which becomes the next planned time. */
  FirePlan before(Instant fire) {
    return new FirePlan(fires.subList(0, fires.indexOf(fire)), fire);
  }

  private static boolean isLeftOut(Missed missed, Instant fire, Instant until) {
    return missed.policy() == Missed.Policy.SKIP && fire.plus(GRACE).isBefore(until);
  }

  /**
   * Returns the latest planned times from {@code first} to {@code until}, at most {@code maximum}.
   * Searches backwards from {@code until} in growing windows, because an outage may have missed
   * millions of planned times.
   */
  private static List<Instant> latest(Timing timing, Instant first, Instant until, int maximum) {
    Duration window = FIRST_WINDOW;
    while (true) {
      boolean whole = Duration.between(first, until).compareTo(window) <= 0;
      Deque<Instant> fires = new ArrayDeque<>();
      Instant fire = whole ? first : timing.next(until.minus(window)).orElse(null);
      while (fire != null && !fire.isAfter(until)) {
        fires.addLast(fire);
        if (fires.size() > maximum) {
          fires.removeFirst();
        }
        fire = timing.next(fire).orElse(null);
      }
      if (whole || fires.size() == maximum) {
        return List.copyOf(fires);
      }
      window = window.multipliedBy(4);
    }
  }
}
