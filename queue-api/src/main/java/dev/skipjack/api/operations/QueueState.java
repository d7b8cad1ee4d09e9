package dev.skipjack.api.operations;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state and settings of a queue that has been configured or paused at run time.
 *
 * @param queue the queue
 * @param pausedAt when the queue was paused; null if it is not paused or the pause has ended
 * @param pausedUntil when the pause ends on its own; null if the queue is not paused, or is paused
 *     until it is resumed
 * @param pausedBy who paused the queue; null if it is not paused, or the actor was not recorded
 * @param pauseReason why the queue is paused; null if it is not paused, or no reason was recorded
 * @param limit the name of the limit that binds its jobs; null for none
 * @param fair whether the groups of its jobs are served in turn
 * @param archiveRetention how long ended jobs stay in the archive, rounded up to a full second;
 *     zero if they are not archived, null for the default
 * @param deadRetention how long dead jobs are kept, rounded up to a full second; null to keep them
 *     until an operator prunes them
 * @param defaultPriority the priority of jobs that are enqueued without one; null if not set
 * @param defaultMaxAttempts the maximum number of attempts of jobs that are enqueued without one;
 *     null if not set
 * @param updatedAt when a setting last changed
 */
public record QueueState(
    String queue,
    @Nullable Instant pausedAt,
    @Nullable Instant pausedUntil,
    @Nullable String pausedBy,
    @Nullable String pauseReason,
    @Nullable String limit,
    boolean fair,
    @Nullable Duration archiveRetention,
    @Nullable Duration deadRetention,
    @Nullable Integer defaultPriority,
    @Nullable Integer defaultMaxAttempts,
    Instant updatedAt) {

  /** {@return whether the queue is paused} */
  public boolean paused() {
    return pausedAt != null;
  }
}
