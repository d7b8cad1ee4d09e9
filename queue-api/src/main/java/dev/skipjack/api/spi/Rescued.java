package dev.skipjack.api.spi;

import dev.skipjack.api.JobStatus;

/**
 * A rescued job, whose lease had expired.
 *
 * @param execution the attempt that was lost
 * @param queue its queue
 * @param kind its kind
 * @param status status of the job now: pending, dead if no attempts were left, or cancelled if that
 *     was requested
 */
public record Rescued(Execution execution, String queue, String kind, JobStatus status) {}
