package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.ScheduleOrigin;
import dev.skipjack.api.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code job_schedules}.
 *
 * @param pausedAt when it was paused, or null if it is not paused
 * @param updatedAt when the definition, the pause or the request last changed. A worker fires the
 *     schedule only if this value is still the one that it has read
 */
record StoredSchedule(
    String name,
    Definition definition,
    Source source,
    Progress progress,
    Failures failures,
    @Nullable Instant pausedAt,
    Instant createdAt,
    Instant updatedAt)
    implements StoredRow {

  /**
   * The time after which a schedule counts as undeclared. It is as long as the pause between two
   * runs of a weekly program.
   */
  static final Duration UNDECLARED_AFTER = Duration.ofDays(7);

  /**
   * The times at which a schedule fires, and the job that it enqueues.
   *
   * @param needsCode whether only a worker that declared the schedule can fire it
   */
  record Definition(
      StoredTiming timing,
      Missed missed,
      Overlap overlap,
      Duration jitter,
      Job job,
      @Nullable String description,
      boolean needsCode) {

    Definition with(StoredTiming changed) {
      return new Definition(changed, missed, overlap, jitter, job, description, needsCode);
    }
  }

  /**
   * The job that a schedule enqueues.
   *
   * @param payload the payload as JSON, or null if code creates it
   * @param priority the priority, or null for the queue's default
   * @param maxAttempts the maximum number of attempts, or null for the queue's default
   */
  record Job(
      String queue,
      String kind,
      @Nullable String payload,
      int payloadVersion,
      @Nullable Integer priority,
      @Nullable Integer maxAttempts,
      List<String> tags) {}

  /**
   * The origin of a schedule.
   *
   * @param declaration the hash of its latest declaration, or null for an operator's schedule
   */
  record Source(
      ScheduleOrigin origin,
      boolean authoritative,
      @Nullable String declaration,
      @Nullable Instant declaredAt,
      @Nullable Instant timingChangedAt) {

    static final Source OPERATOR = new Source(ScheduleOrigin.OPERATOR, false, null, null, null);
  }

  /**
   * The progress of a schedule. The comments on the columns of {@code job_schedules} describe the
   * components.
   */
  record Progress(
      @Nullable Instant dueAt,
      @Nullable Instant nextAt,
      @Nullable Instant lastAt,
      @Nullable Long lastJobId,
      @Nullable Instant requestedAt,
      @Nullable String zoneRules,
      @Nullable Instant missedUntil) {

    static final Progress NONE = new Progress(null, null, null, null, null, null, null);

    Progress missedUntil(Instant until) {
      return new Progress(dueAt, nextAt, lastAt, lastJobId, requestedAt, zoneRules, until);
    }
  }

  /** The failed tries to fire at the next planned time. */
  record Failures(int tries, @Nullable Instant at, @Nullable String error) {

    static final Failures NONE = new Failures(0, null, null);
  }

  StoredSchedule with(Definition changed, Source from, Instant now) {
    return new StoredSchedule(
        name, changed, from, progress, Failures.NONE, pausedAt, createdAt, now);
  }

  StoredSchedule with(Progress changed) {
    return new StoredSchedule(
        name, definition, source, changed, failures, pausedAt, createdAt, updatedAt);
  }

  StoredSchedule paused(@Nullable Instant since, Instant now) {
    return new StoredSchedule(name, definition, source, progress, failures, since, createdAt, now);
  }

  StoredSchedule seen(Instant declaredAt) {
    Source seen =
        new Source(
            source.origin(),
            source.authoritative(),
            source.declaration(),
            declaredAt,
            source.timingChangedAt());
    return new StoredSchedule(
        name, definition, seen, progress, failures, pausedAt, createdAt, updatedAt);
  }

  /**
   * Returns a copy with the first planned time of {@code timing} after {@code now} and after the
   * last planned time.
   */
  StoredSchedule firingNext(Timing timing, Instant now, @Nullable String zoneRules) {
    Instant last = progress.lastAt();
    Instant after = last != null && last.isAfter(now) ? last : now;
    return movedTo(timing.next(after).orElse(null), zoneRules);
  }

  /** Returns a copy with the same next planned time, and without the delay after a failed try. */
  StoredSchedule dueAgain() {
    return movedTo(progress.nextAt(), progress.zoneRules());
  }

  /** Returns the time when the schedule last fired or last changed, whichever is later. */
  Instant firedOrChangedAt() {
    Instant last = progress.lastAt();
    return last != null && last.isAfter(updatedAt) ? last : updatedAt;
  }

  /** Returns a copy with the next planned time {@code next}. */
  StoredSchedule movedTo(@Nullable Instant next, @Nullable String zoneRules) {
    Instant requested = progress.requestedAt();
    return with(
        new Progress(
            requested == null ? due(next) : requested,
            next,
            progress.lastAt(),
            progress.lastJobId(),
            requested,
            zoneRules,
            missedUntil(next)));
  }

  /**
   * Returns the time until which planned times were missed before a pause, or null if {@code next}
   * is later.
   */
  private @Nullable Instant missedUntil(@Nullable Instant next) {
    Instant until = progress.missedUntil();
    return until == null || next == null || next.isAfter(until) ? null : until;
  }

  /**
   * Returns a copy that is not paused. If it was overdue before the pause, it continues with the
   * time that was due then, and only the times before the pause count as missed.
   */
  StoredSchedule resumed(Timing timing, Instant now, @Nullable String zoneRules) {
    Instant next = progress.nextAt();
    StoredSchedule resumed = paused(null, now);
    if (pausedAt == null || next == null || !next.isBefore(pausedAt)) {
      return resumed.firingNext(timing, now, zoneRules);
    }
    Instant until = progress.missedUntil() == null ? pausedAt : progress.missedUntil();
    return resumed.with(resumed.progress().missedUntil(until)).dueAgain();
  }

  /** Returns a copy with a request to fire now. */
  StoredSchedule requested(Instant now) {
    return new StoredSchedule(
        name,
        definition,
        source,
        new Progress(
            now,
            progress.nextAt(),
            progress.lastAt(),
            progress.lastJobId(),
            now,
            progress.zoneRules(),
            progress.missedUntil()),
        failures,
        pausedAt,
        createdAt,
        now);
  }

  /** Returns whether code created the schedule and no program has declared it for seven days. */
  boolean isUndeclared(Instant now) {
    Instant declaredAt = source.declaredAt();
    return source.origin() == ScheduleOrigin.CODE
        && declaredAt != null
        && declaredAt.plus(UNDECLARED_AFTER).isBefore(now);
  }

  /** Returns the due time of a job that is planned for {@code planned}. */
  @Nullable Instant due(@Nullable Instant planned) {
    return planned == null ? null : planned.plus(share());
  }

  /** Returns this schedule's fixed delay within its jitter. */
  Duration share() {
    long spread = definition.jitter().toMillis();
    if (spread == 0) {
      return Duration.ZERO;
    }
    // Names such as sync-1 and sync-2 have neighboring hash codes, which this spreads.
    long mixed = name.hashCode() * 0x9E3779B97F4A7C15L;
    return Duration.ofMillis(Math.floorMod(mixed ^ (mixed >>> 32), spread));
  }
}
