package dev.skipjack.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as lists show it: everything but its payload.
 *
 * @param id the job
 * @param status where it is in its life; completed and cancelled ones are archived
 * @param queue its queue
 * @param kind its kind
 * @param priority its priority
 * @param attempts executions so far
 * @param uncountedAttempts those of them that do not count: snoozed, released, or before a redrive
 * @param maxAttempts used attempts that are allowed
 * @param createdAt when it was enqueued
 * @param scheduledAt when it is due, or had become due
 * @param startedAt when its latest attempt was claimed; null: it never was
 * @param diedAt when it became dead; null: it is not
 * @param finishedAt when it ended; null: it is live
 * @param worker who runs it, or ran it last; null: nobody did
 * @param lastError message of its latest attempt that did not succeed
 * @param tags its labels
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

  /** Attempts that count: what is compared with {@link #maxAttempts}. */
  public int usedAttempts() {
    return attempts - uncountedAttempts;
  }
}
