package dev.skipjack.api.operations;

import java.time.Instant;

/**
 * How many attempts of a queue ended in an interval.
 *
 * @param queue the queue
 * @param from the start of the interval, by the database clock
 * @param completed attempts that completed their job
 * @param failed failed attempts, whether their job is retried or dead
 */
public record QueueActivity(String queue, Instant from, long completed, long failed) {}
