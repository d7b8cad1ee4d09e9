package dev.skipjack.api.operations;

import dev.skipjack.api.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An ordering key that is blocked by a dead job.
 *
 * @param orderingKey the blocked key
 * @param head the dead job, which holds the key
 * @param queue the queue of the dead job
 * @param kind the kind of the dead job
 * @param diedAt when the head became dead
 * @param lastError the error message of the head's latest failed attempt, or null if there is none
 * @param waiting the number of jobs that wait for the key, counted up to 1,000
 */
public record BlockedKey(
    String orderingKey,
    JobId head,
    String queue,
    String kind,
    Instant diedAt,
    @Nullable String lastError,
    int waiting) {}
