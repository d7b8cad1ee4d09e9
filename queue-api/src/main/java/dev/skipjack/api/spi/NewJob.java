package dev.skipjack.api.spi;

import dev.skipjack.api.EnqueueOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job to be written. Names and ranges were checked by whoever made it from a {@link
 * dev.skipjack.api.JobType}.
 *
 * @param payload one JSON document
 * @param priority null: the queue's, or else 0
 * @param maxAttempts null: the queue's, or else {@link
 *     dev.skipjack.api.JobType#DEFAULT_MAX_ATTEMPTS}
 * @param scheduledAt when it is due; null: now
 * @param delay added to {@code scheduledAt} or now; not negative
 * @param tags free labels, each at most once
 * @param uniqueKey null unless the job is unique
 * @param idempotencyKey null unless its enqueue may be repeated; not together with a unique key
 * @param traceparent W3C traceparent of the enqueuer, handed to whoever runs the job; null: none
 * @param wakesUp whether workers are told of it if it is due at once
 */
public record NewJob(
    String queue,
    String kind,
    String payload,
    int payloadVersion,
    @Nullable Integer priority,
    @Nullable Integer maxAttempts,
    @Nullable Instant scheduledAt,
    Duration delay,
    List<String> tags,
    @Nullable UniqueKey uniqueKey,
    @Nullable IdempotencyKey idempotencyKey,
    @Nullable String traceparent,
    boolean wakesUp) {

  /** Refuses two keys: no statement serves both. */
  public NewJob {
    if (uniqueKey != null && idempotencyKey != null) {
      throw twoKeys(kind);
    }
    tags = List.copyOf(tags);
  }

  /** One that wakes workers. */
  public NewJob(
      String queue,
      String kind,
      String payload,
      int payloadVersion,
      @Nullable Integer priority,
      @Nullable Integer maxAttempts,
      @Nullable Instant scheduledAt,
      Duration delay,
      List<String> tags,
      @Nullable UniqueKey uniqueKey,
      @Nullable IdempotencyKey idempotencyKey,
      @Nullable String traceparent) {
    this(
        queue,
        kind,
        payload,
        payloadVersion,
        priority,
        maxAttempts,
        scheduledAt,
        delay,
        tags,
        uniqueKey,
        idempotencyKey,
        traceparent,
        true);
  }

  /** This, unique by {@code key}. */
  public NewJob unique(UniqueKey key) {
    return new NewJob(
        queue,
        kind,
        payload,
        payloadVersion,
        priority,
        maxAttempts,
        scheduledAt,
        delay,
        tags,
        key,
        idempotencyKey,
        traceparent,
        wakesUp);
  }

  /**
   * This, taking {@code key} for as long as that one says.
   *
   * @throws IllegalArgumentException if it has an idempotency key of its own
   */
  public NewJob once(IdempotencyKey key) {
    if (idempotencyKey != null) {
      throw twoKeys(kind);
    }
    return new NewJob(
        queue,
        kind,
        payload,
        payloadVersion,
        priority,
        maxAttempts,
        scheduledAt,
        delay,
        tags,
        uniqueKey,
        key,
        traceparent,
        wakesUp);
  }

  /** This, due {@code delay} after the enqueue. */
  public NewJob delayed(Duration delay) {
    return new NewJob(
        queue,
        kind,
        payload,
        payloadVersion,
        priority,
        maxAttempts,
        null,
        delay,
        tags,
        uniqueKey,
        idempotencyKey,
        traceparent,
        wakesUp);
  }

  /**
   * This, with {@code tags} instead of its own.
   *
   * @throws IllegalArgumentException as {@link EnqueueOptions#tags(List)}
   */
  public NewJob tagged(List<String> tags) {
    return new NewJob(
        queue,
        kind,
        payload,
        payloadVersion,
        priority,
        maxAttempts,
        scheduledAt,
        delay,
        EnqueueOptions.none().tags(tags).tags(),
        uniqueKey,
        idempotencyKey,
        traceparent,
        wakesUp);
  }

  /**
   * This, as part of the trace of {@code traceparent}.
   *
   * @throws IllegalArgumentException as {@link Traceparent#require}
   */
  public NewJob traced(String traceparent) {
    return new NewJob(
        queue,
        kind,
        payload,
        payloadVersion,
        priority,
        maxAttempts,
        scheduledAt,
        delay,
        tags,
        uniqueKey,
        idempotencyKey,
        Traceparent.require(traceparent),
        wakesUp);
  }

  private static IllegalArgumentException twoKeys(String kind) {
    return new IllegalArgumentException(
        "A job of kind '%s' has a unique key and an idempotency key. Give it one of them."
            .formatted(kind));
  }
}
