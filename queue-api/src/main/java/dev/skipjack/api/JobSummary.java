package dev.skipjack.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as shown in lists, with everything except its payload.
 *
 * @param id the job
 * @param status its status; completed and cancelled jobs are archived
 * @param queue its queue
 * @param kind its kind
 * @param priority its priority
 * @param attempts executions so far
 * @param uncountedAttempts the executions that do not count: snoozed, released, or before a redrive
 * @param maxAttempts number of attempts that it may use
 * @param createdAt when it was enqueued
 * @param scheduledAt when it is due, or became due
 * @param startedAt when its latest attempt was claimed; null if it never was
 * @param diedAt when it became dead; null unless dead
 * @param finishedAt when it ended; null while live
 * @param worker the worker that runs it or ran it last; null if it never ran
 * @param lastError message of its latest attempt that did not succeed
 * @param tags its tags
 */
public record JobSummary(
    JobId id,
    JobStatus status,
    String queue,
    String kind,
    int priority,
    int attempts,
    int uncountedAttempts,
    int maxAttempts,
    Instant createdAt,
    Instant scheduledAt,
    @Nullable Instant startedAt,
    @Nullable Instant diedAt,
    @Nullable Instant finishedAt,
    @Nullable String worker,
    @Nullable String lastError,
    List<String> tags) {

  /** Copies the tags. */
  public JobSummary {
    tags = List.copyOf(tags);
  }

  /** The number of used attempts, which is compared with {@link #maxAttempts}. */
  public int usedAttempts() {
    return attempts - uncountedAttempts;
  }
}
