package dev.skipjack.worker;

/**
 * The number of attempts that a worker holds at one moment.
 *
 * @param started whether it was started and has not been stopped
 * @param buffered claimed attempts that wait for a slot
 * @param running attempts whose handler runs
 * @param unwritten attempts whose handler has ended and whose outcome is not yet written
 * @param stuck running attempts whose handler was interrupted long ago
 */
public record WorkerStatus(boolean started, int buffered, int running, int unwritten, int stuck) {}
