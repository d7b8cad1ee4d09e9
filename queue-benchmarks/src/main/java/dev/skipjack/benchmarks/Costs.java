package dev.skipjack.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * What a stretch of work took.
 *
 * @param seconds by the clock on the wall
 * @param serverMicros CPU time of all the server's processes for each job, in microseconds; null
 *     where it cannot be read
 * @param clientMicros CPU time of this JVM for each job, in microseconds
 * @param walBytes write-ahead log for each job
 */
record Costs(double seconds, @Nullable Double serverMicros, double clientMicros, double walBytes) {}
