package dev.skipjack.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * The time and resources that were used by some work.
 *
 * @param seconds elapsed time of the whole work
 * @param serverMicros CPU time per job of all the server's processes, in microseconds; null if it
 *     cannot be read
 * @param clientMicros CPU time per job of this JVM, or of all client processes, in microseconds
 * @param walBytes write-ahead log per job
 */
public record Costs(
    double seconds, @Nullable Double serverMicros, double clientMicros, double walBytes) {

  /** Adds the CPU time that another client process used for all {@code jobs}. */
  public Costs plusClientNanos(long nanos, long jobs) {
    return new Costs(
        seconds, serverMicros, clientMicros + nanos / 1_000.0 / Math.max(jobs, 1), walBytes);
  }
}
