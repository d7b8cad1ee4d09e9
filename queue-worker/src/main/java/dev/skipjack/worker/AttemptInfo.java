package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;

/**
 * Identifies an attempt in a {@link WorkerEvent}.
 *
 * @param jobId the id of the job
 * @param executionId the id of the execution, unique among all attempts of all jobs
 * @param queue the queue of the job
 * @param kind the kind of the job
 * @param attempt the number of this attempt of the job, from 1; snoozed and released attempts are
 *     not counted
 * @param maxAttempts the number of attempts after which a failing job becomes dead
 */
public record AttemptInfo(
    JobId jobId, ExecutionId executionId, String queue, String kind, int attempt, int maxAttempts) {

  /** Returns the attempt as {@code key=value} pairs, in the format of the worker's log lines. */
  @Override
  public String toString() {
    return "queue=%s kind=%s jobId=%s executionId=%s attempt=%d maxAttempts=%d"
        .formatted(queue, kind, jobId, executionId, attempt, maxAttempts);
  }
}
