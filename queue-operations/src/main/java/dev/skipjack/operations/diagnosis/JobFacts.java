package dev.skipjack.operations.diagnosis;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The facts in the row of a job.
 *
 * @param group the group of the job; null if it has none
 * @param worker the worker that runs the job, or ran it last
 * @param freedUniqueKey the unique key that the job released and that a redrive must take again
 * @param position the position in the ordering key
 * @param awaits the sleep, signal or join at which the latest attempt was suspended; null if none
 *     was
 * @param batch the batch to which the job belongs; null if it belongs to none
 * @param now the time by the database clock
 */
record JobFacts(
    JobId id,
    JobStatus status,
    String queue,
    String kind,
    @Nullable String group,
    int priority,
    int attempts,
    int usedAttempts,
    int maxAttempts,
    Instant scheduledAt,
    @Nullable Instant startedAt,
    @Nullable Instant diedAt,
    @Nullable Instant finishedAt,
    @Nullable String worker,
    @Nullable String lastError,
    @Nullable Instant leaseExpiresAt,
    @Nullable Instant cancelRequestedAt,
    @Nullable String freedUniqueKey,
    @Nullable String uniqueLabel,
    @Nullable String orderingKey,
    boolean holdsOrderingKey,
    long position,
    @Nullable String awaits,
    @Nullable Long batch,
    Instant now) {}
