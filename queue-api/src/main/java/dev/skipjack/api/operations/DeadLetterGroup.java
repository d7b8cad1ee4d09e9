package dev.skipjack.api.operations;

import dev.skipjack.api.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A group of dead jobs of the same queue and kind whose last attempts failed with the same class of
 * exception and, apart from values, the same message.
 *
 * @param queue the queue of the jobs
 * @param kind the kind of the jobs
 * @param error the first line of the jobs' last error message, at most 200 characters; empty if
 *     there is none. Each quoted text, and each word that contains a digit, is replaced by {@code
 *     *}, because values such as ids would separate the groups
 * @param errorClass the class of the exception that the jobs' last attempts threw; null if they
 *     threw none, for example because their leases expired
 * @param jobs the number of jobs in the group
 * @param atLeast whether the group may be larger, because the queue and kind have more dead jobs
 *     than were read
 * @param example the newest job of the group
 * @param firstDiedAt when the first job of the group became dead
 * @param lastDiedAt when the last job of the group became dead
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
