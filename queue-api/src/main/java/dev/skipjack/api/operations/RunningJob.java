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
 */
public record RunningJob(
    JobSummary job, Duration runsFor, @Nullable String host, @Nullable Long pid) {

  /** How long an attempt must run before the doctor and the statistics report it. */
  public static final Duration LONG = Duration.ofHours(2);
}
