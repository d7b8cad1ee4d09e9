package dev.skipjack.api.spi;

import dev.skipjack.api.JobStatus;

/**
 * A job whose lease had run out.
 *
 * @param execution the attempt that was lost
 * @param queue its queue
 * @param kind its kind
 * @param status where the job is now: pending, dead if its attempts were used up, or cancelled if
 *     somebody had asked for that
 */
public record Rescued(Execution execution, String queue, String kind, JobStatus status) {}
