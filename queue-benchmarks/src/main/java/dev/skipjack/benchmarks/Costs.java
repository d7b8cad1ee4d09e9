package dev.skipjack.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * Time and resources that some work took.
 *
 * @param seconds elapsed time of all the work
 * @param serverMicros CPU time per job of all the server's processes, in microseconds; null if it
 *     cannot be read
 * @param clientMicros CPU time per job of this JVM, in microseconds
 * @param walBytes write-ahead log per job
 */
public record Costs(
    double seconds, @Nullable Double serverMicros, double clientMicros, double walBytes) {}
