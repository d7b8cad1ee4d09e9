package dev.skipjack.api.spi;

/**
 * The jobs of one queue and one priority, which are claimed in the order of their due times.
 *
 * @param queue the name of the queue
 * @param priority the priority, from -100 to 100
 */
public record Lane(String queue, int priority) {}
