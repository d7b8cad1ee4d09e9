package dev.skipjack.dashboard;

import dev.skipjack.api.operations.JobSummary;

/** Removes from jobs what a visitor may not see. */
final class Jobs {

  private Jobs() {}

  static JobSummary shown(JobSummary job, Visit visit) {
    return new JobSummary(
        job.id(),
        job.status(),
        job.queue(),
        job.kind(),
        job.group(),
        job.priority(),
        job.attempts(),
        job.uncountedAttempts(),
        job.maxAttempts(),
        job.createdAt(),
        job.scheduledAt(),
        job.startedAt(),
        job.diedAt(),
        job.finishedAt(),
        job.worker(),
        visit.redaction().message(job.lastError()),
        job.tags());
  }
}
