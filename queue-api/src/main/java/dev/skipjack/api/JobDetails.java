package dev.skipjack.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job with all its details.
 *
 * @param summary the job as shown in lists
 * @param payload one JSON document
 * @param payloadVersion version of the payload's format
 * @param currentExecution the execution that runs it or, in the archive, ended it; null if there is
 *     none
 * @param leaseExpiresAt when its lease ends and any worker may rescue it; null unless running
 * @param cancelRequestedAt when an operator requested its cancellation while it was running; null
 *     if there was no request
 * @param uniqueLabel its unique key in readable form
 * @param orderingKey its ordering key
 * @param progress latest progress report of its handler, one JSON document; null once archived
 * @param result result of its handler, one JSON document; null while live
 * @param traceparent W3C traceparent of its enqueuer
 * @param executions its attempts, oldest first, without those whose audit was pruned
 */
public record JobDetails(
    JobSummary summary,
    String payload,
    int payloadVersion,
    @Nullable ExecutionId currentExecution,
    @Nullable Instant leaseExpiresAt,
    @Nullable Instant cancelRequestedAt,
    @Nullable String uniqueLabel,
    @Nullable String orderingKey,
    @Nullable String progress,
    @Nullable String result,
    @Nullable String traceparent,
    List<JobExecution> executions) {

  /** Copies the list. */
  public JobDetails {
    executions = List.copyOf(executions);
  }

  /** Returns this job with its attempts. */
  public JobDetails withExecutions(List<JobExecution> attempts) {
    return new JobDetails(
        summary,
        payload,
        payloadVersion,
        currentExecution,
        leaseExpiresAt,
        cancelRequestedAt,
        uniqueLabel,
        orderingKey,
        progress,
        result,
        traceparent,
        attempts);
  }
}
