package dev.skipjack.api;

/**
 * How many live jobs of one queue, kind and status there are.
 *
 * @param queue the queue
 * @param kind the kind
 * @param status pending, running, waiting or dead
 * @param jobs how many; at least one
 * @param estimated whether {@code jobs} was estimated because too many rows would have had to be
 *     read: right in its order of magnitude, and never promised
 */
public record JobCount(String queue, String kind, JobStatus status, long jobs, boolean estimated) {}
