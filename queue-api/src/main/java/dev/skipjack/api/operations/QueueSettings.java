package dev.skipjack.api.operations;

import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.spi.Limits;
import dev.skipjack.api.spi.Names;
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
 * @param limit the name of the limit that the queue obeys; empty for none
 * @param isFair whether the groups of the queue's jobs are served in turn
 */
public record QueueSettings(
    Optional<Duration> archiveRetention,
    Optional<Duration> deadRetention,
    OptionalInt defaultPriority,
    OptionalInt defaultMaxAttempts,
    Optional<OrderingPolicy> orderingPolicy,
    Optional<String> limit,
    boolean isFair) {

  /** {@return the default settings} */
  public static QueueSettings defaults() {
    return new QueueSettings(
        Optional.empty(),
        Optional.empty(),
        OptionalInt.empty(),
        OptionalInt.empty(),
        Optional.empty(),
        Optional.empty(),
        false);
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
        orderingPolicy,
        limit,
        isFair);
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
        orderingPolicy,
        limit,
        isFair);
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
        orderingPolicy,
        limit,
        isFair);
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
        orderingPolicy,
        limit,
        isFair);
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
        archiveRetention,
        deadRetention,
        defaultPriority,
        defaultMaxAttempts,
        Optional.of(policy),
        limit,
        isFair);
  }

  /**
   * Makes the queue obey a limit. Its jobs then start only while the limit allows it, together with
   * the jobs of every other queue that names the same limit. Workers obey the limit from their next
   * claim on; a job that runs already is not counted until its next attempt.
   *
   * @param name the name of the limit, which must exist; see {@link QueueAdmin#limit(String,
   *     Limit)}
   * @return a copy with this change
   */
  public QueueSettings limitedBy(String name) {
    return new QueueSettings(
        archiveRetention,
        deadRetention,
        defaultPriority,
        defaultMaxAttempts,
        orderingPolicy,
        Optional.of(Names.requireLimit(name)),
        isFair);
  }

  /**
   * Serves the groups of the queue's jobs in turn within each priority, in proportion to their
   * weights. Without this, jobs start in the order in which they are due, so a group with a long
   * backlog delays all others. If a group does not use its share, the others get it. Jobs without a
   * group form one group.
   *
   * @return a copy with this change
   */
  public QueueSettings fair() {
    return new QueueSettings(
        archiveRetention,
        deadRetention,
        defaultPriority,
        defaultMaxAttempts,
        orderingPolicy,
        limit,
        true);
  }
}
