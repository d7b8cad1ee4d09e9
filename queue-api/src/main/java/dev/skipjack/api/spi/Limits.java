package dev.skipjack.api.spi;

import dev.skipjack.api.EnqueueOptions;
import java.time.Duration;
import java.time.Instant;

/**
 * Checks the ranges of values. The schema checks them too, but only the messages of this class
 * contain the value. Every method throws IllegalArgumentException for a value out of range.
 */
public final class Limits {

  private static final int MOST_ATTEMPTS = 1_000_000;

  private Limits() {}

  /** Returns the priority, which must be in -100..100. */
  public static int priority(int priority) {
    if (priority < -100 || priority > 100) {
      throw new IllegalArgumentException("Priority %d is not in -100..100.".formatted(priority));
    }
    return priority;
  }

  /** Returns the maximum number of attempts, which must be in 1..1,000,000. */
  public static int maxAttempts(int maxAttempts) {
    if (maxAttempts < 1 || maxAttempts > MOST_ATTEMPTS) {
      throw new IllegalArgumentException(
          "Max attempts %d is not in 1..%d.".formatted(maxAttempts, MOST_ATTEMPTS));
    }
    return maxAttempts;
  }

  /**
   * Returns the delay, which must not be negative or longer than {@link
   * EnqueueOptions#LONGEST_DELAY}.
   */
  public static Duration delay(Duration delay) {
    if (delay.isNegative() || delay.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "Delay %s is not in 0..%d days.".formatted(delay, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    return delay;
  }

  /**
   * Returns the instant, or the epoch if the instant is earlier, because PostgreSQL cannot store
   * every past instant.
   */
  public static Instant scheduledAt(Instant instant) {
    if (instant.isAfter(EnqueueOptions.LATEST)) {
      throw new IllegalArgumentException(
          "Schedule %s is after %s.".formatted(instant, EnqueueOptions.LATEST));
    }
    return instant.isBefore(Instant.EPOCH) ? Instant.EPOCH : instant;
  }

  /**
   * Returns the retention, which must not be negative or longer than {@link
   * EnqueueOptions#LONGEST_DELAY}.
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
   * Returns how long an idempotency key is kept, which must be positive and at most {@link
   * EnqueueOptions#LONGEST_DELAY}.
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
