package dev.skipjack.torture;

/**
 * Something that must not be.
 *
 * @param job which; 0 if it is nowhere
 * @param key of its request; {@link Event#NONE} if unknown
 * @param what a sentence
 */
record Violation(Counter counter, long job, String key, String what) {}
