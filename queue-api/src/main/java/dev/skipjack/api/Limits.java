package dev.skipjack.api;

import java.time.Duration;
import java.time.Instant;

/**
 * Checks the ranges of values. The schema checks them too, but only the messages of this class
 * contain the value.
 */
final class Limits {

  private static final int MOST_ATTEMPTS = 1_000_000;

  private Limits() {}

  static int priority(int priority) {
    if (priority < -100 || priority > 100) {
      throw new IllegalArgumentException("Priority %d is not in -100..100.".formatted(priority));
    }
    return priority;
  }

  static int maxAttempts(int maxAttempts) {
    if (maxAttempts < 1 || maxAttempts > MOST_ATTEMPTS) {
      throw new IllegalArgumentException(
          "Max attempts %d is not in 1..%d.".formatted(maxAttempts, MOST_ATTEMPTS));
    }
    return maxAttempts;
  }

  static Duration delay(Duration delay) {
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
  static Instant scheduledAt(Instant instant) {
    if (instant.isAfter(EnqueueOptions.LATEST)) {
      throw new IllegalArgumentException(
          "Schedule %s is after %s.".formatted(instant, EnqueueOptions.LATEST));
    }
    return instant.isBefore(Instant.EPOCH) ? Instant.EPOCH : instant;
  }

  static Duration retention(Duration retention) {
    if (retention.isNegative() || retention.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "Retention %s is not in 0..%d days."
              .formatted(retention, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    return retention;
  }

  static Duration kept(Duration kept) {
    if (kept.isNegative() || kept.isZero() || kept.compareTo(EnqueueOptions.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "An idempotency key cannot be kept for %s; give more than zero and at most %d days."
              .formatted(kept, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    return kept;
  }
}
