package dev.skipjack.api;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a queue that were changed at run time.
 *
 * @param queue the queue
 * @param pausedAt when it was paused; null if it is not paused, or its pause has ended
 * @param pausedUntil when the pause ends on its own; null if it is not paused, or paused until it
 *     is resumed
 * @param maxRunning maximum number of its jobs that may run at the same time on all workers; null
 *     for no limit
 * @param archiveRetention how long ended jobs stay in the archive, rounded up to a second; zero if
 *     they are not archived; null for the default
 * @param deadRetention how long dead jobs are kept, rounded up to a second; null to keep them until
 *     an operator prunes them
 * @param defaultPriority priority of jobs enqueued without one; null for their type's
 * @param defaultMaxAttempts maximum number of attempts of jobs enqueued without a limit; null for
 *     their type's
 * @param updatedAt when a setting last changed
 */
public record QueueState(
    String queue,
    @Nullable Instant pausedAt,
    @Nullable Instant pausedUntil,
    @Nullable Integer maxRunning,
    @Nullable Duration archiveRetention,
    @Nullable Duration deadRetention,
    @Nullable Integer defaultPriority,
    @Nullable Integer defaultMaxAttempts,
    Instant updatedAt) {

  /** Whether the queue is paused. */
  public boolean paused() {
    return pausedAt != null;
  }
}
