package dev.skipjack.api.spi;

import dev.skipjack.api.EnqueueOptions;
import java.time.Duration;
import java.time.Instant;

/**
 * Checks the ranges of values before any SQL is sent. Every method throws an {@link
 * IllegalArgumentException} with the value if it is out of range.
 */
public final class Limits {

  private static final int MOST_ATTEMPTS = 1_000_000;

  private Limits() {}

  /**
   * {@return the priority, which must be in -100..100}
   *
   * @param priority the priority, from -100 (lowest) to 100
   */
  public static int priority(int priority) {
    if (priority < -100 || priority > 100) {
      throw new IllegalArgumentException("Priority %d is not in -100..100.".formatted(priority));
    }
    return priority;
  }

  /**
   * {@return the maximum number of attempts, which must be in 1..1,000,000}
   *
   * @param maxAttempts the maximum number of attempts, from 1
   */
  public static int maxAttempts(int maxAttempts) {
    if (maxAttempts < 1 || maxAttempts > MOST_ATTEMPTS) {
      throw new IllegalArgumentException(
          "Max attempts %d is not in 1..%d.".formatted(maxAttempts, MOST_ATTEMPTS));
    }
    return maxAttempts;
  }

  /**
   * {@return the delay, which must not be negative or longer than {@link
   * EnqueueOptions#LONGEST_DELAY}}
   *
   * @param delay the delay
   */
  public static Duration delay(Duration delay) {
    if (delay.isNegative() || delay.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "Delay %s is not in 0..%d days.".formatted(delay, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    return delay;
  }

  /**
   * {@return the instant, which must not be after {@link EnqueueOptions#LATEST}, or the epoch if
   * the instant is earlier, because PostgreSQL cannot store every past instant}
   *
   * @param instant the instant
   */
  public static Instant scheduledAt(Instant instant) {
    if (instant.isAfter(EnqueueOptions.LATEST)) {
      throw new IllegalArgumentException(
          "Due time %s is after %s, the latest that can be stored."
              .formatted(instant, EnqueueOptions.LATEST));
    }
    return instant.isBefore(Instant.EPOCH) ? Instant.EPOCH : instant;
  }

  /**
   * {@return the retention, which must not be negative or longer than {@link
   * EnqueueOptions#LONGEST_DELAY}}
   *
   * @param retention how long jobs are kept
   */
  public static Duration retention(Duration retention) {
    if (retention.isNegative() || retention.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "Retention %s is not in 0..%d days."
              .formatted(retention, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    return retention;
  }

  /**
   * {@return how long an idempotency key is kept, which must be positive and at most {@link
   * EnqueueOptions#LONGEST_DELAY}}
   *
   * @param kept how long the key is kept after the enqueue
   */
  public static Duration kept(Duration kept) {
    if (kept.isNegative() || kept.isZero() || kept.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "An idempotency key cannot be kept for %s; give more than zero and at most %d days."
              .formatted(kept, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    return kept;
  }
}
