package dev.skipjack.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A group of dead jobs of one queue and kind with the same error.
 *
 * @param queue their queue
 * @param kind their kind
 * @param error first line of their last error message, at most 200 characters; empty if there is
 *     none
 * @param errorClass class of the exception of the example's last attempt; null if none was thrown,
 *     or if the audit of that attempt was pruned
 * @param jobs the number of jobs
 * @param atLeast whether there may be more, because the queue and kind have more dead jobs than
 *     were read
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
