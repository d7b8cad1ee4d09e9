package dev.skipjack.api.operations;

import dev.skipjack.api.JobId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Explains why a job is in its current state: the first reason that applies, with its evidence. All
 * times and durations are measured by the database clock.
 *
 * @param job the job
 * @param reason the reason, for use by programs
 * @param sentence the reason and its facts in a sentence for operators; the wording may change
 *     between versions
 * @param evidence the facts by name, in the order in which they matter. Times are in ISO 8601,
 *     durations in seconds. Contains error messages but no payload
 * @param fix the action that changes the state; null if no action is needed
 */
public record JobExplanation(
    JobId job, Reason reason, String sentence, Map<String, String> evidence, @Nullable Fix fix) {

  /**
   * Makes a defensive copy of the map, which keeps its order.
   *
   * @param job the job
   * @param reason the reason
   * @param sentence the sentence
   * @param evidence the facts behind the sentence, by name
   * @param fix what to do
   */
  public JobExplanation {
    evidence = Collections.unmodifiableMap(new LinkedHashMap<>(evidence));
  }

  /** The reasons for the state of a job. */
  public enum Reason {
    /** The job has completed. */
    COMPLETED,
    /** The job has been cancelled. */
    CANCELLED,
    /** A worker runs the job under a lease. */
    RUNNING,
    /** A worker runs the job, and its cancellation has been requested. */
    CANCEL_REQUESTED,
    /** The lease of the job has expired, and no worker has rescued the job yet. */
    LEASE_EXPIRED,
    /** The job is dead and cannot be redriven, because another job holds its unique key. */
    UNIQUE_KEY_TAKEN,
    /** The job is dead because it was parked behind a dead job of its ordering key. */
    PARKED,
    /** The job is dead: all of its attempts have been used. */
    ATTEMPTS_USED_UP,
    /** The job is dead: a failure ruled out further attempts. */
    FAILED_FOR_GOOD,
    /** The job is waiting because a dead job blocks its ordering key. */
    ORDERING_KEY_BLOCKED,
    /** The job is waiting for an earlier job with the same ordering key. */
    BEHIND_ORDERING_KEY,
    /** No job blocks the ordering key, but no worker has promoted the next job of the key yet. */
    PROMOTION_PENDING,
    /** The job has the status waiting but no ordering key, so no worker promotes it. */
    ORDERING_KEY_MISSING,
    /** The job has been scheduled for a time in the future. */
    SCHEDULED,
    /** The job has been attempted before, and its next attempt is due at a time in the future. */
    RETRY_SCHEDULED,
    /** The job waits for a signal, which was not sent yet. */
    SIGNAL_AWAITED,
    /** The job sleeps until a time that one of its steps chose. */
    SLEEPING,
    /** The job waits for the end of the jobs that it enqueued. */
    JOINING,
    /** The queue of the job is paused. */
    QUEUE_PAUSED,
    /** The group of the job is paused. */
    GROUP_PAUSED,
    /** No worker has been seen recently. */
    NO_WORKER,
    /** No worker that was seen recently has a handler for the kind of the job. */
    KIND_UNKNOWN,
    /** The workers that have a handler for the kind of the job serve other queues. */
    QUEUE_NOT_SERVED,
    /** As many jobs run as the limit of the queue, or of the job's group, allows. */
    LIMIT_REACHED,
    /** The rate of the limit of the queue, or a throttle, allows no start yet. */
    RATE_REACHED,
    /** All slots of the workers that could run the job are taken. */
    SLOTS_TAKEN,
    /** Other due jobs of the queue, or of the group in a fair queue, are served before the job. */
    BEHIND_OTHERS,
    /** The job is next in its queue; nothing prevents it from being claimed. */
    NEXT_IN_LINE
  }
}
