package dev.skipjack.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Dead jobs of one queue and kind that died of the same error.
 *
 * @param queue their queue
 * @param kind their kind
 * @param error first line of their last error, 200 characters at most; empty if none was written
 * @param errorClass class of the exception that the example died of; null: none was thrown, or the
 *     audit of that attempt was pruned
 * @param jobs how many
 * @param atLeast whether there may be more: the queue and kind has more dead jobs than were read
 * @param example the newest of them
 * @param firstDiedAt when the first of them died
 * @param lastDiedAt when the last of them died
 */
public record DeadLetterGroup(
    String queue,
    String kind,
    String error,
    @Nullable String errorClass,
    long jobs,
    boolean atLeast,
    JobId example,
    Instant firstDiedAt,
    Instant lastDiedAt) {}
