package dev.skipjack.api.spi;

import dev.skipjack.api.schedule.ScheduledFire;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A claimed job, which its worker may run until the lease expires.
 *
 * @param execution the execution that the claim created
 * @param queue the queue of the job
 * @param kind the kind of the job
 * @param payload the payload, as a JSON document
 * @param payloadVersion the version of the payload's format
 * @param priority the priority, from -100 (lowest) to 100
 * @param attempt the number of the attempt, starting at 1; attempts that were snoozed or released
 *     do not count
 * @param uncountedAttempts the number of earlier attempts that do not count, because they were
 *     snoozed or released or preceded the latest redrive
 * @param maxAttempts the maximum number of attempts
 * @param scheduledAt when the job became due
 * @param headers the headers by name, including those that Skipjack sets
 */
public record ClaimedJob(
    Execution execution,
    String queue,
    String kind,
    String payload,
    int payloadVersion,
    int priority,
    int attempt,
    int uncountedAttempts,
    int maxAttempts,
    Instant scheduledAt,
    Map<String, String> headers) {

  /**
   * Makes a defensive copy of the headers.
   *
   * @param execution the execution that the claim created
   * @param queue the queue of the job
   * @param kind the kind of the job
   * @param payload the payload as JSON
   * @param payloadVersion the version of the payload's format
   * @param priority the priority, from -100 (lowest) to 100
   * @param attempt the number of this attempt, from 1
   * @param uncountedAttempts how many attempts do not count
   * @param maxAttempts the maximum number of attempts, from 1
   * @param scheduledAt when the job is due
   * @param headers the headers, by name
   */
  public ClaimedJob {
    headers = Map.copyOf(headers);
  }

  /**
   * {@return the schedule that enqueued the job and the planned time, or empty if no schedule did}
   */
  public Optional<ScheduledFire> fire() {
    return ScheduledFire.of(headers.get(Headers.SCHEDULE));
  }

  /** {@return the W3C traceparent of the enqueuer, or null if there is none} */
  public @Nullable String traceparent() {
    return headers.get(Headers.TRACEPARENT);
  }

  /** {@return when the job was claimed} */
  public Instant startedAt() {
    return execution.startedAt();
  }

  /** {@return the lane that the job was claimed from} */
  public Lane lane() {
    return new Lane(queue, priority);
  }
}
