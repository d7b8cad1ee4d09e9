package dev.skipjack.api.spi;

/**
 * Announces a new job in a lane. A wake-up is only a hint: the job may have been claimed already,
 * and one wake-up may stand for many transactions.
 *
 * @param lane the queue and the priority of that job
 * @param kind its kind
 */
public record WakeUp(Lane lane, String kind) {}
