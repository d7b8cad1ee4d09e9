package dev.skipjack.cli;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.PendingAge;
import dev.skipjack.api.operations.QueueState;
import dev.skipjack.api.operations.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A queue with its job counts and workers.
 *
 * @param jobs the number of jobs in each status that has any
 * @param estimated whether any of the numbers is an estimate
 * @param oldest the oldest pending job; null if there is none
 * @param state the settings; null if the queue has never been configured or paused
 * @param workers the workers that serve the queue
 */
record QueueOverview(
    String name,
    Map<JobStatus, Long> jobs,
    boolean estimated,
    @Nullable PendingAge oldest,
    @Nullable QueueState state,
    List<WorkerInfo> workers) {

  static final Fields<QueueOverview> FIELDS =
      Fields.<QueueOverview>none()
          .and("queue", QueueOverview::name)
          .andText("state", QueueOverview::pause)
          .andJson("paused", QueueOverview::isPaused)
          .andJson("paused_until", QueueOverview::pausedUntil)
          .and("pending", queue -> queue.count(JobStatus.PENDING))
          .and("oldest_due_seconds", QueueOverview::waited)
          .and("running", queue -> queue.count(JobStatus.RUNNING))
          .and("waiting", queue -> queue.count(JobStatus.WAITING))
          .and("dead", queue -> queue.count(JobStatus.DEAD))
          .andApart("estimated", QueueOverview::estimated)
          .and("workers", queue -> queue.workers().size())
          .andIfPresent("limit", QueueOverview::limit)
          .andApart("fair", QueueOverview::isFair)
          .andIfPresent("paused_by", QueueOverview::pausedBy)
          .andApart("pause_reason", QueueOverview::pauseReason);

  long count(JobStatus status) {
    return jobs.getOrDefault(status, 0L);
  }

  /** Returns how long the oldest due job has been due; null if no job is due. */
  @Nullable Duration waited() {
    return oldest == null || oldest.age().isZero() ? null : oldest.age();
  }

  boolean isPaused() {
    return state != null && state.paused();
  }

  @Nullable Instant pausedUntil() {
    return state == null ? null : state.pausedUntil();
  }

  @Nullable String pausedBy() {
    return state == null ? null : state.pausedBy();
  }

  @Nullable String pauseReason() {
    return state == null ? null : state.pauseReason();
  }

  @Nullable String limit() {
    return state == null ? null : state.limit();
  }

  boolean isFair() {
    return state != null && state.fair();
  }

  String pause() {
    if (!isPaused()) {
      return "active";
    }
    Instant until = pausedUntil();
    return until == null ? "paused" : "paused until " + Cell.of(until);
  }

  /**
   * Returns whether the queue has settings, jobs or workers. If not, its name may be misspelled.
   */
  boolean isKnown() {
    return state != null || !jobs.isEmpty() || !workers.isEmpty();
  }
}
