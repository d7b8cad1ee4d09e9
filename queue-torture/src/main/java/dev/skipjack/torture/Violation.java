package dev.skipjack.torture;

/**
 * A violation of a guarantee.
 *
 * @param job id of the job; 0 if there is none
 * @param key key of the job's request; {@link Event#NONE} if unknown
 * @param what the violation, as a sentence
 */
record Violation(Counter counter, long job, String key, String what) {}
