package dev.skipjack.api.spi;

/**
 * Somebody says that a lane has got a job. A hint only: the job may be gone already, and its
 * transaction may be one of many that this stands for.
 *
 * @param lane the queue and the priority of that job
 * @param kind its kind
 */
public record WakeUp(Lane lane, String kind) {}
