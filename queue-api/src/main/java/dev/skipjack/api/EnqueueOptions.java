package dev.skipjack.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What one job has different from its type's defaults. Immutable: every method answers a new one.
 *
 * <pre>{@code queue.enqueue(SEND_WELCOME, payload, job -> job.delay(ofMinutes(30)).priority(5)); }
 * </pre>
 */
public final class EnqueueOptions {

  /** The longest delay that is accepted: 100 years of 365 days. */
  public static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

  private static final EnqueueOptions NONE =
      new EnqueueOptions(
          Duration.ZERO,
          Optional.empty(),
          OptionalInt.empty(),
          OptionalInt.empty(),
          Optional.empty());

  private final Duration delay;
  private final Optional<Instant> scheduledAt;
  private final OptionalInt priority;
  private final OptionalInt maxAttempts;
  private final Optional<String> queue;

  private EnqueueOptions(
      Duration delay,
      Optional<Instant> scheduledAt,
      OptionalInt priority,
      OptionalInt maxAttempts,
      Optional<String> queue) {
    this.delay = delay;
    this.scheduledAt = scheduledAt;
    this.priority = priority;
    this.maxAttempts = maxAttempts;
    this.queue = queue;
  }

  /** Nothing different. */
  public static EnqueueOptions none() {
    return NONE;
  }

  /**
   * Due {@code delay} after the enqueue, measured by the database's clock. Replaces {@link #at}.
   *
   * @param delay 0 to {@link #LONGEST_DELAY}, microsecond precision
   */
  public EnqueueOptions delay(Duration delay) {
    return new EnqueueOptions(Limits.delay(delay), Optional.empty(), priority, maxAttempts, queue);
  }

  /**
   * Due at {@code instant}; one in the past means now. Replaces {@link #delay}.
   *
   * @param instant not further in the future than {@link #LONGEST_DELAY}, counted from 2026
   */
  public EnqueueOptions at(Instant instant) {
    Instant latest = Instant.parse("2026-01-01T00:00:00Z").plus(LONGEST_DELAY);
    if (instant.isAfter(latest)) {
      throw new IllegalArgumentException("Schedule %s is after %s.".formatted(instant, latest));
    }
    Instant representable = instant.isBefore(Instant.EPOCH) ? Instant.EPOCH : instant;
    return new EnqueueOptions(
        Duration.ZERO, Optional.of(representable), priority, maxAttempts, queue);
  }

  /** Served before lower ones of its queue: -100 to 100. */
  public EnqueueOptions priority(int priority) {
    return new EnqueueOptions(
        delay, scheduledAt, OptionalInt.of(Limits.priority(priority)), maxAttempts, queue);
  }

  /** Dead after this many used attempts, at least 1. */
  public EnqueueOptions maxAttempts(int maxAttempts) {
    return new EnqueueOptions(
        delay, scheduledAt, priority, OptionalInt.of(Limits.maxAttempts(maxAttempts)), queue);
  }

  /** Into this queue (1 to 63 of {@code a-z 0-9 _ . -}) instead of the type's. */
  public EnqueueOptions onQueue(String queue) {
    return new EnqueueOptions(
        delay, scheduledAt, priority, maxAttempts, Optional.of(Names.require("Queue", queue)));
  }

  /** How long after the enqueue the job is due; zero when {@link #scheduledAt} decides. */
  public Duration delay() {
    return delay;
  }

  /** When the job is due, if an instant was given. */
  public Optional<Instant> scheduledAt() {
    return scheduledAt;
  }

  /** The priority, if one was given. */
  public OptionalInt priority() {
    return priority;
  }

  /** The attempts, if a limit was given. */
  public OptionalInt maxAttempts() {
    return maxAttempts;
  }

  /** The queue, if one was given. */
  public Optional<String> queue() {
    return queue;
  }
}
