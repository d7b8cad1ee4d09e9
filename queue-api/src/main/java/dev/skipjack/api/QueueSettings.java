package dev.skipjack.api;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Settings of a queue. Immutable: every method returns a new instance.
 *
 * @param archiveRetention how long ended jobs are kept; zero if they are not archived; empty for
 *     the default
 * @param deadRetention how long dead jobs are kept; empty to keep them until an operator prunes
 *     them
 * @param defaultPriority priority of jobs enqueued without one
 * @param defaultMaxAttempts attempts of jobs enqueued without a limit
 */
public record QueueSettings(
    Optional<Duration> archiveRetention,
    Optional<Duration> deadRetention,
    OptionalInt defaultPriority,
    OptionalInt defaultMaxAttempts) {

  /** Returns settings with all defaults. */
  public static QueueSettings defaults() {
    return new QueueSettings(
        Optional.empty(), Optional.empty(), OptionalInt.empty(), OptionalInt.empty());
  }

  /** Keeps ended jobs for {@code retention}: 0 to 36,500 days. */
  public QueueSettings archiveRetention(Duration retention) {
    return new QueueSettings(
        Optional.of(Limits.retention(retention)),
        deadRetention,
        defaultPriority,
        defaultMaxAttempts);
  }

  /** Archives nothing: only the audit of an ended job remains. */
  public QueueSettings noArchive() {
    return archiveRetention(Duration.ZERO);
  }

  /** Keeps dead jobs for {@code retention}: 0 to 36,500 days. */
  public QueueSettings deadRetention(Duration retention) {
    return new QueueSettings(
        archiveRetention,
        Optional.of(Limits.retention(retention)),
        defaultPriority,
        defaultMaxAttempts);
  }

  /** Priority of jobs enqueued without one, -100 to 100. */
  public QueueSettings defaultPriority(int priority) {
    return new QueueSettings(
        archiveRetention,
        deadRetention,
        OptionalInt.of(Limits.priority(priority)),
        defaultMaxAttempts);
  }

  /** Maximum number of attempts of jobs enqueued without a limit, at least 1. */
  public QueueSettings defaultMaxAttempts(int maxAttempts) {
    return new QueueSettings(
        archiveRetention,
        deadRetention,
        defaultPriority,
        OptionalInt.of(Limits.maxAttempts(maxAttempts)));
  }
}
