package dev.skipjack.api.spi;

/**
 * What became of a heartbeat.
 *
 * @param verdict whether the lease was extended
 * @param cancelRequested whether somebody asked the job to stop; false unless extended
 */
public record Renewal(Verdict verdict, boolean cancelRequested) {}
