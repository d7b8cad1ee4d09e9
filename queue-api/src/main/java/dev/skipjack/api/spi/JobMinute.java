package dev.skipjack.api.spi;

import dev.skipjack.api.operations.DurationHistogram;

/**
 * The attempts of a worker that ended in a minute, for the jobs of one queue and kind.
 *
 * @param queue the queue
 * @param kind the kind
 * @param completed attempts that completed their job
 * @param failed failed attempts whose job is retried
 * @param dead failed attempts after which the job was dead
 * @param cancelled attempts that ended because their job was cancelled
 * @param snoozed attempts whose handler snoozed the job
 * @param lost attempts that lost their lease
 * @param waits the times from due to claimed
 * @param runs the run times of handlers
 */
public record JobMinute(
    String queue,
    String kind,
    int completed,
    int failed,
    int dead,
    int cancelled,
    int snoozed,
    int lost,
    DurationHistogram waits,
    DurationHistogram runs) {}
