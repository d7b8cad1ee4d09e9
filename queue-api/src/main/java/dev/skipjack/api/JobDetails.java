package dev.skipjack.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job with everything that is known about it.
 *
 * @param summary what lists show of it
 * @param payload one JSON document
 * @param payloadVersion shape of the payload
 * @param currentExecution the execution that runs it or, in the archive, ended it; null: none
 * @param leaseExpiresAt when others may rescue it; null unless running
 * @param cancelRequestedAt when somebody asked it to stop while it ran; null: nobody did
 * @param uniqueLabel its unique key as people read it
 * @param orderingKey its ordering key
 * @param progress what its handler last reported, one JSON document; null once archived
 * @param result what its handler returned, one JSON document; null while live
 * @param traceparent W3C traceparent of its enqueuer
 * @param executions its attempts, the first first; those whose audit was pruned are missing
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

  /** This, with its attempts. */
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
