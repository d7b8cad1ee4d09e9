package dev.skipjack.api.operations;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of a job, as recorded in the audit.
 *
 * @param id the execution id
 * @param attempt the number of the attempt, starting at 1 and including attempts that were snoozed
 *     or released
 * @param status how the attempt ended; {@link ExecutionStatus#RUNNING} if it has not ended
 * @param queue the queue that the job was in at the time
 * @param worker the worker that ran the attempt
 * @param startedAt when the job was claimed
 * @param finishedAt when the attempt ended; null while it is running
 * @param error why the attempt did not succeed; null if no reason was recorded
 */
public record JobExecution(
    ExecutionId id,
    int attempt,
    ExecutionStatus status,
    String queue,
    @Nullable String worker,
    Instant startedAt,
    @Nullable Instant finishedAt,
    @Nullable JobError error) {}
