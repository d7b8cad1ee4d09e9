package dev.skipjack.api.operations;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.schedule.ScheduledFire;
import dev.skipjack.api.spi.Headers;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job with all its details.
 *
 * @param summary the job as shown in lists
 * @param payload the payload, as a JSON document; null if it was not read
 * @param payloadVersion the version of the payload's format
 * @param currentExecution the execution that is running the job or, for an archived job, that ended
 *     it; null if there is none
 * @param leaseExpiresAt when the lease expires, after which any worker may rescue the job; null if
 *     the job is not running
 * @param cancelRequestedAt when cancellation of the running job was requested; null if there was no
 *     request
 * @param uniqueLabel the unique key in readable form; null if there is none
 * @param orderingKey the ordering key; null if there is none
 * @param progress the handler's latest progress report, as a JSON document; null if there is none
 *     or the job is archived
 * @param result the handler's result, as a JSON document; null if there is none or the job is live
 * @param headers the headers by name, including those that Skipjack sets; empty if there are none
 *     or they were not read
 * @param stack where the handler of the running attempt is; null if that was not sampled, as for an
 *     attempt that has run for less than a minute
 * @param executions the latest 1,000 attempts, oldest first, except those whose audit has been
 *     pruned
 */
public record JobDetails(
    JobSummary summary,
    @Nullable String payload,
    int payloadVersion,
    @Nullable ExecutionId currentExecution,
    @Nullable Instant leaseExpiresAt,
    @Nullable Instant cancelRequestedAt,
    @Nullable String uniqueLabel,
    @Nullable String orderingKey,
    @Nullable String progress,
    @Nullable String result,
    Map<String, String> headers,
    @Nullable HandlerStack stack,
    List<JobExecution> executions) {

  /**
   * Makes defensive copies.
   *
   * @param summary what lists show
   * @param payload the payload as JSON
   * @param payloadVersion the version of the payload's format
   * @param currentExecution the running attempt
   * @param leaseExpiresAt when the lease expires
   * @param cancelRequestedAt when a cancellation was requested
   * @param uniqueLabel the unique key for operators
   * @param orderingKey the ordering key
   * @param progress the last progress report
   * @param result the result as JSON
   * @param headers the headers, by name
   * @param stack where the handler is
   * @param executions the attempts, oldest first
   */
  public JobDetails {
    headers = Map.copyOf(headers);
    executions = List.copyOf(executions);
  }

  /** {@return the W3C traceparent of the enqueuer, or null if there is none or it was not read} */
  public @Nullable String traceparent() {
    return headers.get(Headers.TRACEPARENT);
  }

  /**
   * {@return the schedule that enqueued the job, and the planned time, or null if no schedule
   * enqueued it or the headers were not read}
   */
  public @Nullable ScheduledFire fire() {
    return ScheduledFire.of(headers.get(Headers.SCHEDULE)).orElse(null);
  }

  /**
   * {@return a copy of these details with the given attempts}
   *
   * @param attempts the attempts, oldest first
   */
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
        headers,
        stack,
        attempts);
  }
}
