package dev.skipjack.api.operations;

import java.time.Instant;

/**
 * The numbers of live jobs in an interval: the largest number of each queue in the interval, summed
 * over the queues. Numbers of a queue above 10,000 are estimates.
 *
 * @param from the start of the interval, by the database clock
 * @param pending the pending jobs
 * @param running the running jobs
 * @param waiting the jobs that wait for their ordering key
 * @param dead the dead jobs
 */
public record QueueDepth(Instant from, long pending, long running, long waiting, long dead) {}
