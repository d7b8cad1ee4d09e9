package dev.skipjack.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a job, as its audit row tells.
 *
 * @param id the execution
 * @param attempt which attempt it is, from 1; snoozed and released ones are counted too
 * @param status how it ended, or that it has not
 * @param queue queue of the job at that time
 * @param worker who ran it
 * @param startedAt when it was claimed
 * @param finishedAt when it ended; null while it runs
 * @param error why it did not succeed; null: no reason was written
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
