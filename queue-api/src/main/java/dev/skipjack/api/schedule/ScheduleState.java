package dev.skipjack.api.schedule;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule, as stored in the database.
 *
 * @param name the name
 * @param timing the timing, without the predicates of {@link Timing#except}; null if its time zone
 *     is unknown in this JVM or its expression cannot be parsed
 * @param missed what happens to missed planned times
 * @param overlap what happens at a planned time while an earlier job is still live
 * @param jitter the maximum time by which the schedule fires later than planned
 * @param queue the queue of the jobs
 * @param kind the kind of the jobs
 * @param payload the payload of the jobs, as a JSON document; null if a function returns it, or it
 *     was not read
 * @param tags the tags of the jobs
 * @param description the description; null if there is none
 * @param needsCode whether only workers that declare the schedule can fire it
 * @param origin whether the schedule was declared in code or created by an operator
 * @param authoritative whether each declaration reverts changes that operators have made
 * @param declaredAt when a program last declared the schedule; a running worker renews its
 *     declarations about twice a day. Null if an operator created the schedule
 * @param isUndeclared whether the schedule was declared in code but no program has declared it for
 *     seven days
 * @param timingChangedAt when an operator changed the declared timing; null if the timing is as
 *     declared
 * @param pausedAt when the schedule was paused; null if it is not paused
 * @param nextFires the next planned times, at most five. For a schedule with a predicate that
 *     excludes dates, only the first is certain
 * @param lastFire the planned time at which the schedule last fired, other than on request; null if
 *     there was none
 * @param lastJob the last job that the schedule enqueued, as planned or on request; null if there
 *     is none
 * @param lastStatus the status of that job; null if there is none or its history has been pruned
 * @param failure why the schedule could not be fired; null unless the last try failed
 * @param createdAt when the schedule was first declared or added
 * @param updatedAt when the definition or the pause last changed, or an operator last requested
 *     that the schedule fire
 * @param unreadable why the row of the schedule cannot be read; null if it can. The schedule then
 *     does not fire, and components that could not be read have their defaults. Only {@link
 *     Schedules#pause} and {@link Schedules#remove} work on it
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
    Instant updatedAt,
    @Nullable String unreadable) {

  /**
   * Makes defensive copies of the lists.
   *
   * @param name the name
   * @param timing when the schedule fires
   * @param missed what happens to missed planned times
   * @param overlap what happens while an earlier job is live
   * @param jitter the longest delay of a planned time
   * @param queue the queue
   * @param kind the kind of the job
   * @param payload the payload as JSON
   * @param tags the tags
   * @param description a text for operators
   * @param needsCode whether only workers that declare the schedule can fire it
   * @param origin whether the schedule was declared in code or created by an operator
   * @param authoritative whether each declaration reverts changes by operators
   * @param declaredAt when a program last declared the schedule
   * @param isUndeclared whether no program has declared the schedule for seven days
   * @param timingChangedAt when an operator changed the declared timing
   * @param pausedAt when the schedule was paused
   * @param nextFires the next planned times
   * @param lastFire the last planned time that fired
   * @param lastJob the last job that the schedule enqueued
   * @param lastStatus the status of that job
   * @param failure why the schedule could not be fired
   * @param createdAt when it was created
   * @param updatedAt when it last changed
   * @param unreadable why the row cannot be read
   */
  public ScheduleState {
    tags = List.copyOf(tags);
    nextFires = List.copyOf(nextFires);
  }

  /**
   * A failure to fire the schedule, which will be tried again.
   *
   * @param tries the number of failed tries so far
   * @param at when the last try failed
   * @param error the message of the failure
   */
  public record Failure(int tries, Instant at, String error) {}

  /** {@return whether the schedule is paused} */
  public boolean isPaused() {
    return pausedAt != null;
  }

  /**
   * {@return whether the schedule differs from what code declared, because an operator changed its
   * timing or paused it}
   */
  public boolean isChangedAtRunTime() {
    return origin == ScheduleOrigin.CODE && (timingChangedAt != null || isPaused());
  }
}
