package dev.skipjack.api.spi;

/**
 * The jobs of one queue and one priority, from which claims take jobs by due time.
 *
 * @param queue the queue
 * @param priority -100 to 100
 */
public record Lane(String queue, int priority) {}
