package dev.skipjack.api;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Determines how long a job waits after a failed attempt before the next one.
 *
 * <p>Immutable and safe for any number of threads; custom implementations must be too. The returned
 * wait is clamped to 0 .. {@link #LONGEST}, so that no value can make the write of a failure fail.
 */
@FunctionalInterface
public interface Backoff {

  /** The maximum wait: 365 days. */
  Duration LONGEST = Duration.ofDays(365);

  /**
   * Returns the wait after a failed attempt.
   *
   * @param attempt number of the failed attempt, from 1, not counting snoozed and released ones
   * @param random source of jitter; belongs to the calling thread
   */
  Duration after(int attempt, RandomGenerator random);

  /**
   * The default: starts at 15 s and doubles up to a day. Three quarters of the wait are random, so
   * that no more than one in twenty of the jobs that failed together return within the same second.
   */
  static Backoff standard() {
    return exponential(Duration.ofSeconds(15)).atMost(Duration.ofDays(1)).jitter(0.75);
  }

  /**
   * Waits {@code first * 2^(attempt - 1)}.
   *
   * @param first wait after the first attempt; not negative
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
   * Waits {@code step * attempt}.
   *
   * @param step wait after the first attempt, and increment for each later one; not negative
   */
  static Backoff linear(Duration step) {
    long nanos = requireWait("step", step);
    return (attempt, random) -> {
      int factor = Math.max(attempt, 1);
      return nanos > Long.MAX_VALUE / factor ? LONGEST : clamp(Duration.ofNanos(nanos * factor));
    };
  }

  /**
   * Always waits for the same duration.
   *
   * @param wait not negative
   */
  static Backoff fixed(Duration wait) {
    Duration clamped = clamp(Duration.ofNanos(requireWait("wait", wait)));
    return (attempt, random) -> clamped;
  }

  /**
   * Returns this backoff, limited to {@code longest}.
   *
   * @param longest not negative
   */
  default Backoff atMost(Duration longest) {
    requireWait("longest", longest);
    return (attempt, random) -> {
      Duration wait = after(attempt, random);
      return wait.compareTo(longest) > 0 ? longest : wait;
    };
  }

  /**
   * Returns this backoff with jitter: the wait is spread evenly over {@code [wait * (1 - ratio),
   * wait]}, so that jobs that failed together are not retried together.
   *
   * @param ratio fraction of the wait that is random, 0 to 1
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

  /** Returns {@code wait}, clamped to 0 .. {@link #LONGEST}. */
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
