package dev.skipjack.api.operations;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A running job and the process that runs it.
 *
 * @param job the job
 * @param runsFor how long its current attempt has run, by the database clock
 * @param host the host of the worker that runs it; null if the worker is not registered or did not
 *     report its host
 * @param pid the process id of that worker; null if it is unknown
 * @param stack where its handler is, with at most the first 2,000 characters of the stack; null if
 *     that was not sampled, as for an attempt that has run for less than a minute
 */
public record RunningJob(
    JobSummary job,
    Duration runsFor,
    @Nullable String host,
    @Nullable Long pid,
    @Nullable HandlerStack stack) {

  /** How long an attempt must run before the doctor and the statistics report it. */
  public static final Duration LONG = Duration.ofHours(2);
}
