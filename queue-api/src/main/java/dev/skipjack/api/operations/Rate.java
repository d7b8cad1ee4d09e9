package dev.skipjack.api.operations;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * A bound on how often the jobs of a {@link Limit} may start, on all workers together. Every
 * attempt counts when it is claimed, also a retry. Times are measured by the database clock.
 * Instances are immutable; methods that change a property return a new instance.
 *
 * @param kind how starts are counted
 * @param count the number of starts in each period, from 1 to {@link #LARGEST}
 * @param period the period, from 1 millisecond to {@link #LONGEST}, with microsecond precision
 * @param burst the number of starts that a bucket allows at once after a pause, from 1 to {@link
 *     #LARGEST}, with which an empty bucket is full after 36,500 days at most; {@code count} for
 *     the other kinds
 * @param isPerGroup whether each group has this rate for itself, instead of all groups together.
 *     Jobs without a group form one group
 */
public record Rate(Kind kind, int count, Duration period, int burst, boolean isPerGroup) {

  /** The maximum of the numbers: 1,000,000. */
  public static final int LARGEST = 1_000_000;

  /** The longest period: 366 days. */
  public static final Duration LONGEST = Duration.ofDays(366);

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST_FILL = Duration.ofDays(36_500);

  /** The ways to count starts. */
  public enum Kind {
    /**
     * A token bucket: starts are spread evenly, one every {@code period / count}, and after a pause
     * up to {@code burst} jobs start at once. Any period contains at most {@code burst + count}
     * starts. The cheapest kind.
     */
    BUCKET("bucket"),
    /** A sliding window: no period, wherever it begins, contains more than {@code count} starts. */
    SLIDING("sliding"),
    /**
     * Fixed windows, which follow each other from 2000-01-01T00:00:00Z on: none of them contains
     * more than {@code count} starts. A period across two windows may contain twice as many.
     */
    FIXED("fixed");

    private final String literal;

    Kind(String literal) {
      this.literal = literal;
    }

    /** {@return the value of this kind in the database} */
    public String literal() {
      return literal;
    }

    /**
     * {@return the kind with this value in the database}
     *
     * @param literal the value
     * @throws IllegalArgumentException if there is no such kind
     */
    public static Kind of(String literal) {
      for (Kind kind : values()) {
        if (kind.literal.equals(literal)) {
          return kind;
        }
      }
      throw new IllegalArgumentException(
          "Rate kind '%s' is unknown. Use bucket, sliding or fixed.".formatted(literal));
    }
  }

  /**
   * Checks the numbers.
   *
   * @param kind how starts are counted
   * @param count the number of starts in each period
   * @param period the period
   * @param burst the number of starts at once
   * @param isPerGroup whether the rate applies to each group
   * @throws IllegalArgumentException if a number or the period is out of range, or a kind without
   *     bursts has one
   */
  public Rate {
    Objects.requireNonNull(kind, "The kind of a rate must not be null.");
    requireNumber("Count", count);
    requireNumber("Burst", burst);
    period = period.truncatedTo(ChronoUnit.MICROS);
    if (period.compareTo(SHORTEST) < 0 || period.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "Period %s of a rate is not in 1 ms..%d days.".formatted(period, LONGEST.toDays()));
    }
    if (kind != Kind.BUCKET && burst != count) {
      throw new IllegalArgumentException(
          "A rate of kind %s has no burst, but %d was given. Use Rate.bucket for bursts."
              .formatted(kind.literal, burst));
    }
    Duration fill = period.multipliedBy(burst).dividedBy(count);
    if (fill.compareTo(LONGEST_FILL) > 0) {
      throw new IllegalArgumentException(
          "Burst %d of a rate of %d per %s takes %s to fill, more than %d days. Use a smaller burst."
              .formatted(burst, count, period, fill, LONGEST_FILL.toDays()));
    }
  }

  private static void requireNumber(String what, int number) {
    if (number < 1 || number > LARGEST) {
      throw new IllegalArgumentException(
          "%s %d of a rate is not in 1..%d. To stop all starts, use Limit.none().running(0)."
              .formatted(what, number, LARGEST));
    }
  }

  /**
   * {@return a rate that spreads starts evenly, with bursts of up to {@code count}} See {@link
   * Kind#BUCKET}, and {@link #burst(int)} for smaller bursts.
   *
   * @param count the number of starts in each period
   * @param period the period
   */
  public static Rate bucket(int count, Duration period) {
    return new Rate(Kind.BUCKET, count, period, count, false);
  }

  /**
   * {@return a rate that holds for every period, wherever it begins} See {@link Kind#SLIDING}.
   *
   * @param count the number of starts in each period
   * @param period the period
   */
  public static Rate sliding(int count, Duration period) {
    return new Rate(Kind.SLIDING, count, period, count, false);
  }

  /**
   * {@return a rate that counts from zero in each window, for example in each calendar minute} See
   * {@link Kind#FIXED}.
   *
   * @param count the number of starts in each window
   * @param period the length of a window
   */
  public static Rate fixed(int count, Duration period) {
    return new Rate(Kind.FIXED, count, period, count, false);
  }

  /**
   * Sets how many jobs a bucket lets start at once after a pause.
   *
   * @param burst the number of starts, from 1 to {@link #LARGEST}
   * @return a copy with this change
   * @throws IllegalArgumentException if this is not a bucket
   */
  public Rate burst(int burst) {
    return new Rate(kind, count, period, burst, isPerGroup);
  }

  /**
   * Gives each group this rate for itself.
   *
   * @return a copy with this change
   */
  public Rate perGroup() {
    return new Rate(kind, count, period, burst, true);
  }
}
