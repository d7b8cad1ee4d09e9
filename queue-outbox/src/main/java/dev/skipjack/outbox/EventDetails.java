package dev.skipjack.outbox;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A recorded event without its headers and payload.
 *
 * @param traceparent the W3C traceparent with which it was recorded; null if it has none
 * @param failures the number of failed attempts since it was recorded or redriven
 * @param lastError why the last attempt failed; null if none has failed, or if it is published
 * @param diedAt when it became dead; null if it is not dead
 * @param publishedAt when a relay recorded that it was published; null if none has
 */
public record EventDetails(
    UUID id,
    EventStatus status,
    Aggregate aggregate,
    String type,
    String contentType,
    @Nullable String traceparent,
    Instant recordedAt,
    int failures,
    @Nullable String lastError,
    @Nullable Instant diedAt,
    @Nullable Instant publishedAt) {}
