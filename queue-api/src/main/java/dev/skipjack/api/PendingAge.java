package dev.skipjack.api;

import java.time.Duration;
import java.time.Instant;

/**
 * Age of the pending job of a queue that has been due longest, or will be due first.
 *
 * @param queue the queue
 * @param scheduledAt when that job is due
 * @param age how long it has been due, by the database's clock; zero if it is not due yet
 */
public record PendingAge(String queue, Instant scheduledAt, Duration age) {}
