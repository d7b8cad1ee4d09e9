package dev.skipjack.api.operations;

import java.time.Instant;

/**
 * The attempts that ended in an interval. Workers report them once a minute. Those of the last
 * minute of a worker that was killed are missing, and so are those of {@code runUntilIdle}.
 *
 * @param from the start of the interval, by the database clock
 * @param completed attempts that completed their job
 * @param failed failed attempts whose job is retried
 * @param dead failed attempts after which the job was dead
 * @param cancelled attempts that ended because their job was cancelled
 * @param snoozed attempts whose handler snoozed the job
 * @param lost attempts that lost their lease
 * @param waits the times from due to claimed
 * @param runs the run times of handlers
 */
public record JobMinutes(
    Instant from,
    long completed,
    long failed,
    long dead,
    long cancelled,
    long snoozed,
    long lost,
    DurationHistogram waits,
    DurationHistogram runs) {}
