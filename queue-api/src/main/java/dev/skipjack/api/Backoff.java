package dev.skipjack.api;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Determines how long a job waits between a failed attempt and the next one.
 *
 * <p>The backoffs that the methods of this interface return are immutable and thread-safe. Custom
 * implementations must also be thread-safe. The wait is clamped to the range from 0 to {@link
 * #LONGEST}.
 */
@FunctionalInterface
public interface Backoff {

  /** The maximum wait: 365 days. */
  Duration LONGEST = Duration.ofDays(365);

  /**
   * {@return how long the job must wait after a failed attempt}
   *
   * @param attempt the number of the failed attempt, starting at 1 and not counting attempts that
   *     were snoozed or released
   * @param random the source of randomness for jitter; confined to the calling thread
   */
  Duration after(int attempt, RandomGenerator random);

  /**
   * {@return the default backoff, which starts at 15 s and doubles up to one day} Three quarters of
   * each wait are random. If the first attempts of many jobs fail together, their second attempts
   * are spread over about 11 seconds.
   */
  static Backoff standard() {
    return exponential(Duration.ofSeconds(15)).atMost(Duration.ofDays(1)).jitter(0.75);
  }

  /**
   * {@return a backoff that waits {@code first * 2^(attempt - 1)}}
   *
   * @param first the wait after the first attempt; not negative
   */
  static Backoff exponential(Duration first) {
    long nanos = requireWait("first", first);
    return (attempt, random) -> {
      int doublings = Math.min(Math.max(attempt, 1) - 1, 62);
      return nanos > Long.MAX_VALUE >> doublings
          ? LONGEST
          : clamp(Duration.ofNanos(nanos << doublings));
    };
  }

  /**
   * {@return a backoff that waits {@code step * attempt}}
   *
   * @param step the wait after the first attempt, and the increment for each later one; not
   *     negative
   */
  static Backoff linear(Duration step) {
    long nanos = requireWait("step", step);
    return (attempt, random) -> {
      int factor = Math.max(attempt, 1);
      return nanos > Long.MAX_VALUE / factor ? LONGEST : clamp(Duration.ofNanos(nanos * factor));
    };
  }

  /**
   * {@return a backoff that always waits for the same duration}
   *
   * @param wait the wait; not negative
   */
  static Backoff fixed(Duration wait) {
    Duration clamped = clamp(Duration.ofNanos(requireWait("wait", wait)));
    return (attempt, random) -> clamped;
  }

  /**
   * {@return a backoff that waits as long as this one, but at most {@code longest}}
   *
   * @param longest the maximum wait; not negative
   */
  default Backoff atMost(Duration longest) {
    requireWait("longest", longest);
    return (attempt, random) -> {
      Duration wait = after(attempt, random);
      return wait.compareTo(longest) > 0 ? longest : wait;
    };
  }

  /**
   * {@return a backoff that adds jitter to this one} Waits are distributed uniformly over {@code
   * [wait * (1 - ratio), wait]}, so that jobs that failed together are not retried together.
   *
   * @param ratio the fraction of the wait that is random, from 0 to 1
   */
  default Backoff jitter(double ratio) {
    if (!(ratio >= 0 && ratio <= 1)) {
      throw new IllegalArgumentException("Jitter ratio %s is not in 0..1.".formatted(ratio));
    }
    return (attempt, random) -> {
      long nanos = clamp(after(attempt, random)).toNanos();
      return Duration.ofNanos(nanos - (long) (nanos * ratio * random.nextDouble()));
    };
  }

  /**
   * {@return {@code wait}, clamped to the range from 0 to {@link #LONGEST}}
   *
   * @param wait the wait before it is limited
   */
  static Duration clamp(Duration wait) {
    if (wait.isNegative()) {
      return Duration.ZERO;
    }
    return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
  }

  private static long requireWait(String what, Duration wait) {
    if (wait.isNegative()) {
      throw new IllegalArgumentException("Backoff %s %s is negative.".formatted(what, wait));
    }
    return clamp(wait).toNanos();
  }
}
