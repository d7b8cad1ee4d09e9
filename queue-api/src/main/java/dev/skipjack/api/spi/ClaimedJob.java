package dev.skipjack.api.spi;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A claimed job, which its worker may run until the lease ends.
 *
 * @param execution the right to end the attempt
 * @param queue its queue
 * @param kind its kind
 * @param payload one JSON document
 * @param payloadVersion version of the payload's format
 * @param priority its priority
 * @param attempt number of the attempt as seen by the handler, from 1; snoozed and released ones do
 *     not count
 * @param uncountedAttempts number of earlier attempts that do not count, because they were snoozed
 *     or released or came before the latest redrive
 * @param maxAttempts number of attempts that it may use
 * @param scheduledAt when it became due
 * @param traceparent W3C traceparent of its enqueuer; null if there is none
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
    @Nullable String traceparent) {

  /** When it was claimed. */
  public Instant startedAt() {
    return execution.startedAt();
  }

  /** The lane that it was claimed from. */
  public Lane lane() {
    return new Lane(queue, priority);
  }
}
