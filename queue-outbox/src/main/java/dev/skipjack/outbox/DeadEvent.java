package dev.skipjack.outbox;

import java.time.Instant;
import java.util.UUID;

/**
 * An event that relays no longer try to publish.
 *
 * @param failures the number of failed attempts
 * @param reason why it became dead; empty if no reason is stored
 */
public record DeadEvent(
    UUID id, Aggregate aggregate, String type, Instant diedAt, int failures, String reason) {}
