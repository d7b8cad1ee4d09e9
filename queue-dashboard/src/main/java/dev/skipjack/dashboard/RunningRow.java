package dev.skipjack.dashboard;

import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.RunningJob;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A running job.
 *
 * @param job the job
 * @param runsFor for how long its attempt has run
 * @param host the host of its worker; null if unknown
 * @param pid the process of its worker; null if unknown
 */
record RunningRow(JobSummary job, Duration runsFor, @Nullable String host, @Nullable Long pid) {

  static List<RunningRow> of(List<RunningJob> jobs, Visit visit) {
    return visit.visible(jobs, running -> running.job().queue()).stream()
        .map(
            running ->
                new RunningRow(
                    Jobs.shown(running.job(), visit),
                    running.runsFor(),
                    running.host(),
                    running.pid()))
        .toList();
  }
}
