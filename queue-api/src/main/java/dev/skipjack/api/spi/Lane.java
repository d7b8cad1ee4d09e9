package dev.skipjack.api.spi;

/**
 * The jobs of one queue that have one priority: what a claim takes from, in due order.
 *
 * @param queue the queue
 * @param priority -100 to 100
 */
public record Lane(String queue, int priority) {}
