package dev.skipjack.api.spi;

/**
 * A kind with due jobs that a worker does not handle, although it serves their queue.
 *
 * @param queue the queue of the jobs
 * @param kind the kind of the jobs
 * @param handledElsewhere whether another living worker serves the queue and handles the kind
 */
public record UnhandledKind(String queue, String kind, boolean handledElsewhere) {}
