package dev.skipjack.api.spi;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job to be written. Names and ranges were checked by whoever made it from an {@link
 * dev.skipjack.api.JobType}.
 *
 * @param payload one JSON document
 * @param scheduledAt when it is due; null: now
 * @param delay added to {@code scheduledAt} or now; not negative
 * @param uniqueKey null unless the job is unique
 */
public record NewJob(
    String queue,
    String kind,
    String payload,
    int payloadVersion,
    int priority,
    int maxAttempts,
    @Nullable Instant scheduledAt,
    Duration delay,
    @Nullable UniqueKey uniqueKey) {

  /** This, unique by {@code key}. */
  public NewJob unique(UniqueKey key) {
    return new NewJob(
        queue, kind, payload, payloadVersion, priority, maxAttempts, scheduledAt, delay, key);
  }
}
