package dev.skipjack.worker;

/**
 * The numbers of attempts that a worker holds at one moment.
 *
 * @param started whether the worker was started and has not been stopped
 * @param buffered claimed attempts that wait for a slot
 * @param running attempts whose handler is running
 * @param unwritten attempts whose handler has ended but whose outcome is not yet written
 * @param stuck running attempts whose handler has ignored the interrupt of a timeout or a lost
 *     lease for the interrupt grace
 */
public record WorkerStatus(boolean started, int buffered, int running, int unwritten, int stuck) {}
