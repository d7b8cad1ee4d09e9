package dev.skipjack.api.spi;

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
    @Nullable IdempotencyKey idempotencyKey) {

  /** Refuses two keys: no statement serves both. */
  public NewJob {
    if (uniqueKey != null && idempotencyKey != null) {
      throw twoKeys(kind);
    }
    tags = List.copyOf(tags);
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
        idempotencyKey);
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
        key);
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
        idempotencyKey);
  }

  private static IllegalArgumentException twoKeys(String kind) {
    return new IllegalArgumentException(
        "A job of kind '%s' has a unique key and an idempotency key. Give it one of them."
            .formatted(kind));
  }
}
