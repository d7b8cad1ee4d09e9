package dev.skipjack.torture;

/**
 * A violation of a guarantee.
 *
 * @param job id of the job; 0 if there is none
 * @param key the key of the request for the job; {@link Event#NONE} if unknown
 * @param what a sentence that describes the violation
 */
record Violation(Counter counter, long job, String key, String what) {}
