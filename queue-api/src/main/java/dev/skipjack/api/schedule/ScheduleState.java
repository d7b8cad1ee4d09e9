package dev.skipjack.api.schedule;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as stored.
 *
 * @param name the name
 * @param timing when it fires, without the predicates of {@link Timing#except}; null if this JVM
 *     does not know its time zone or cannot read its expression
 * @param missed what happens to missed fires
 * @param overlap what a fire does while an earlier job is live
 * @param jitter the time over which schedules of this timing are spread
 * @param queue the queue of the jobs
 * @param kind the kind of the jobs
 * @param payload the payload of the jobs, as a JSON document; null if code makes it
 * @param tags the tags of the jobs
 * @param description the description; null if there is none
 * @param needsCode whether only a worker that declares it can fire it
 * @param origin what created it
 * @param authoritative whether a declaration ends what operators changed
 * @param declaredAt when a running program last declared it; null for a schedule of an operator
 * @param isUndeclared whether code created it and no program has declared it for seven days
 * @param timingChangedAt when an operator changed the timing that code declared; null if it is as
 *     declared
 * @param pausedAt since when it does not fire; null unless paused
 * @param nextFires the planned times of its next fires, at most five. For a schedule with an
 *     excepting predicate, only the first is certain
 * @param lastFire the planned time of the last regular fire; null if there was none
 * @param lastJob the last job that it enqueued, by a regular or requested fire; null if there is
 *     none
 * @param lastStatus the status of that job; null if there is none or its history was pruned
 * @param failure why it could not be fired; null if nothing failed since the last fire
 * @param createdAt when it was first declared or added
 * @param updatedAt when its definition or pause last changed
 */
public record ScheduleState(
    String name,
    @Nullable Timing timing,
    Missed missed,
    Overlap overlap,
    Duration jitter,
    String queue,
    String kind,
    @Nullable String payload,
    List<String> tags,
    @Nullable String description,
    boolean needsCode,
    ScheduleOrigin origin,
    boolean authoritative,
    @Nullable Instant declaredAt,
    boolean isUndeclared,
    @Nullable Instant timingChangedAt,
    @Nullable Instant pausedAt,
    List<Instant> nextFires,
    @Nullable Instant lastFire,
    @Nullable JobId lastJob,
    @Nullable JobStatus lastStatus,
    @Nullable Failure failure,
    Instant createdAt,
    Instant updatedAt) {

  /** Copies the lists. */
  public ScheduleState {
    tags = List.copyOf(tags);
    nextFires = List.copyOf(nextFires);
  }

  /**
   * A fire that failed and is tried again.
   *
   * @param tries how often it was tried
   * @param at when it last failed
   * @param error the message of the failure
   */
  public record Failure(int tries, Instant at, String error) {}

  /** Returns whether an operator paused the schedule. */
  public boolean isPaused() {
    return pausedAt != null;
  }

  /**
   * Returns whether the schedule differs from what code declared, because an operator changed its
   * timing or paused it.
   */
  public boolean isChangedAtRunTime() {
    return origin == ScheduleOrigin.CODE && (timingChangedAt != null || isPaused());
  }
}
