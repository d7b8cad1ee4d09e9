package dev.skipjack.api.operations;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as shown in lists, without its payload.
 *
 * @param id the job
 * @param status the status; completed and cancelled jobs are archived
 * @param queue the queue of the job
 * @param kind the kind of the job
 * @param group the group of the job; null if it has none
 * @param priority the priority, from -100 (lowest) to 100
 * @param attempts the number of attempts so far
 * @param uncountedAttempts the number of attempts that do not count, because they were snoozed or
 *     released or preceded the latest redrive
 * @param maxAttempts the maximum number of attempts
 * @param createdAt when the job was enqueued
 * @param scheduledAt when the job is or was due
 * @param startedAt when the latest attempt was claimed; null if there was none
 * @param diedAt when the job became dead; null if it is not dead
 * @param finishedAt when the job ended; null while it is live
 * @param worker the worker that is running or last ran the job; null if it never ran
 * @param lastError the error message of the latest unsuccessful attempt; null if there is none
 * @param tags the tags
 */
public record JobSummary(
    JobId id,
    JobStatus status,
    String queue,
    String kind,
    @Nullable String group,
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

  /**
   * Makes a defensive copy of the tags.
   *
   * @param id the id of the job
   * @param status the status
   * @param queue the queue of the job
   * @param kind the kind of the job
   * @param group the group of the job
   * @param priority the priority, from -100 (lowest) to 100
   * @param attempts the number of attempts
   * @param uncountedAttempts how many attempts do not count
   * @param maxAttempts the maximum number of attempts, from 1
   * @param createdAt when it was created
   * @param scheduledAt when the job is due
   * @param startedAt when it started
   * @param diedAt when the job became dead
   * @param finishedAt when the job ended
   * @param worker the worker that runs or last ran the job
   * @param lastError the error of the last failed attempt
   * @param tags the tags
   */
  public JobSummary {
    tags = List.copyOf(tags);
  }

  /** {@return the number of attempts that count towards {@link #maxAttempts}} */
  public int usedAttempts() {
    return attempts - uncountedAttempts;
  }
}
