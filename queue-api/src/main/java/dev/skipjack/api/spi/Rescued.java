package dev.skipjack.api.spi;

import dev.skipjack.api.JobStatus;

/**
 * A job that was rescued after its lease had expired.
 *
 * @param execution the attempt that was lost
 * @param queue the queue of the job
 * @param kind the kind of the job
 * @param status the new status of the job: pending, dead if it had no attempts left, or cancelled
 *     if that had been requested
 */
public record Rescued(Execution execution, String queue, String kind, JobStatus status) {}
