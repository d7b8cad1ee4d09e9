package dev.skipjack.api.spi;

/**
 * A job whose lease had run out.
 *
 * @param execution the attempt that was lost
 * @param queue its queue
 * @param kind its kind
 * @param dead whether its attempts were used up
 */
public record Rescued(Execution execution, String queue, String kind, boolean dead) {}
