package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;

/**
 * Identifies an attempt in a {@link WorkerEvent}.
 *
 * @param jobId the job
 * @param executionId the attempt
 * @param queue its queue
 * @param kind its kind
 * @param attempt number of this attempt of the job, from 1; snoozed and released attempts do not
 *     count
 * @param maxAttempts number of attempts after which a failing job is dead
 */
public record AttemptInfo(
    JobId jobId, ExecutionId executionId, String queue, String kind, int attempt, int maxAttempts) {

  /** The attempt as {@code key=value} pairs, as at the end of log lines. */
  @Override
  public String toString() {
    return "queue=%s kind=%s jobId=%s executionId=%s attempt=%d maxAttempts=%d"
        .formatted(queue, kind, jobId, executionId, attempt, maxAttempts);
  }
}
