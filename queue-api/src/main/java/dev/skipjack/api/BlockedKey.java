package dev.skipjack.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An ordering key that a dead job blocks.
 *
 * @param orderingKey the key
 * @param head the dead job
 * @param queue the queue of the dead job
 * @param kind the kind of the dead job
 * @param diedAt when it became dead
 * @param lastError the message of its latest failed attempt, or null if there is none
 * @param waiting the number of jobs that wait behind it, up to 1,000
 */
public record BlockedKey(
    String orderingKey,
    JobId head,
    String queue,
    String kind,
    Instant diedAt,
    @Nullable String lastError,
    int waiting) {}
