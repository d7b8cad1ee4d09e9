package dev.skipjack.api.operations;

import java.time.Duration;
import java.time.Instant;

/**
 * The age of the oldest pending job of a queue. The oldest job is the one that has been due the
 * longest or, if no job is due, the one that becomes due first.
 *
 * @param queue the queue
 * @param scheduledAt when the job is or was due
 * @param age how long the job has been due, by the database clock; zero if it is not due yet
 */
public record PendingAge(String queue, Instant scheduledAt, Duration age) {}
