package dev.skipjack.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a job, as recorded in its audit row.
 *
 * @param id the execution
 * @param attempt number of the attempt, from 1, including snoozed and released ones
 * @param status how it ended, or whether it is still running
 * @param queue queue of the job at that time
 * @param worker the worker that ran it
 * @param startedAt when it was claimed
 * @param finishedAt when it ended; null while it runs
 * @param error why it did not succeed; null if no reason was recorded
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
