package dev.skipjack.dashboard;

import dev.skipjack.api.operations.HandlerStack;
import dev.skipjack.api.operations.JobSummary;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A running job.
 *
 * @param job the job
 * @param runsFor for how long its attempt has run
 * @param host the host of its worker; null if unknown
 * @param pid the process of its worker; null if unknown
 * @param stack where its handler is; null if that was not sampled
 */
record RunningRow(
    JobSummary job,
    Duration runsFor,
    @Nullable String host,
    @Nullable Long pid,
    @Nullable HandlerStack stack) {}
