package dev.skipjack.api;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a person changed about a queue at run time, and since when it is so.
 *
 * @param queue the queue
 * @param pausedAt since when nothing is claimed from it; null: it is not paused, or its pause has
 *     ended
 * @param pausedUntil when the pause ends by itself; null: it is not paused, or until it is resumed
 * @param maxRunning most of its jobs that may run at once over all workers; null: no limit
 * @param archiveRetention how long ended jobs stay in the archive, rounded up to a second; zero:
 *     they are not archived; null: the default
 * @param deadRetention how long dead jobs are kept, rounded up to a second; null: until a person
 *     prunes them
 * @param defaultPriority priority of jobs enqueued without one; null: their type's
 * @param defaultMaxAttempts attempts of jobs enqueued without a limit; null: their type's
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

  /** Whether nothing is claimed from it. */
  public boolean paused() {
    return pausedAt != null;
  }
}
