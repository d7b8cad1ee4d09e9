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
      throw new IllegalArgumentException(
          "A job of kind '%s' has a unique key and an idempotency key. Give it one of them."
              .formatted(kind));
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
}
