package dev.skipjack.api.operations;

import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.spi.Limits;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The settings of a queue. Instances are immutable; methods that change a setting return a new
 * instance.
 *
 * @param archiveRetention how long ended jobs are kept; zero if they are not archived, empty for
 *     the default
 * @param deadRetention how long dead jobs are kept; empty to keep them until an operator prunes
 *     them
 * @param defaultPriority the priority of jobs that are enqueued without one
 * @param defaultMaxAttempts the maximum number of attempts of jobs that are enqueued without one
 * @param orderingPolicy what happens to the jobs behind a dead job of their ordering key; empty for
 *     the policy of that job's type
 */
public record QueueSettings(
    Optional<Duration> archiveRetention,
    Optional<Duration> deadRetention,
    OptionalInt defaultPriority,
    OptionalInt defaultMaxAttempts,
    Optional<OrderingPolicy> orderingPolicy) {

  /** {@return the default settings} */
  public static QueueSettings defaults() {
    return new QueueSettings(
        Optional.empty(),
        Optional.empty(),
        OptionalInt.empty(),
        OptionalInt.empty(),
        Optional.empty());
  }

  /**
   * Sets how long ended jobs are kept, from 0 to 36,500 days.
   *
   * @param retention how long they are kept
   * @return a copy with this change
   */
  public QueueSettings archiveRetention(Duration retention) {
    return new QueueSettings(
        Optional.of(Limits.retention(retention)),
        deadRetention,
        defaultPriority,
        defaultMaxAttempts,
        orderingPolicy);
  }

  /**
   * Disables the archive, so that only the audit of ended jobs is kept.
   *
   * @return a copy with this change
   */
  public QueueSettings noArchive() {
    return archiveRetention(Duration.ZERO);
  }

  /**
   * Sets how long dead jobs are kept, from 0 to 36,500 days.
   *
   * @param retention how long they are kept
   * @return a copy with this change
   */
  public QueueSettings deadRetention(Duration retention) {
    return new QueueSettings(
        archiveRetention,
        Optional.of(Limits.retention(retention)),
        defaultPriority,
        defaultMaxAttempts,
        orderingPolicy);
  }

  /**
   * Sets the priority of jobs that are enqueued without one, from -100 to 100.
   *
   * @param priority the priority, from -100 (lowest) to 100
   * @return a copy with this change
   */
  public QueueSettings defaultPriority(int priority) {
    return new QueueSettings(
        archiveRetention,
        deadRetention,
        OptionalInt.of(Limits.priority(priority)),
        defaultMaxAttempts,
        orderingPolicy);
  }

  /**
   * Sets the maximum number of attempts of jobs that are enqueued without one, at least 1.
   *
   * @param maxAttempts the maximum number of attempts, from 1
   * @return a copy with this change
   */
  public QueueSettings defaultMaxAttempts(int maxAttempts) {
    return new QueueSettings(
        archiveRetention,
        deadRetention,
        defaultPriority,
        OptionalInt.of(Limits.maxAttempts(maxAttempts)),
        orderingPolicy);
  }

  /**
   * Sets what happens to the jobs that wait behind a dead job of this queue. This overrides the
   * policy of the dead job's type, and also applies to ordering keys that are already blocked.
   *
   * @param policy the policy
   * @return a copy with this change
   */
  public QueueSettings orderingPolicy(OrderingPolicy policy) {
    return new QueueSettings(
        archiveRetention, deadRetention, defaultPriority, defaultMaxAttempts, Optional.of(policy));
  }
}
