package dev.skipjack.api.operations;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;

/**
 * How many durations were measured in each of {@value #RANGES} ranges: less than 1 ms, less than 2
 * ms, less than 4 ms, and so on up to 70 minutes and more. Immutable.
 */
public final class DurationHistogram {

  /** The number of ranges. */
  public static final int RANGES = 24;

  /** The histogram without a duration. */
  public static final DurationHistogram EMPTY = new DurationHistogram(new long[RANGES]);

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final long[] counts;

  private DurationHistogram(long[] counts) {
    this.counts = counts;
  }

  /**
   * {@return a histogram with the given numbers}
   *
   * @param counts how many durations are in each range, shortest first; missing ones are 0
   * @throws IllegalArgumentException if there are more than {@value #RANGES} numbers or one is
   *     negative
   */
  public static DurationHistogram of(long... counts) {
    if (counts.length > RANGES) {
      throw new IllegalArgumentException(
          "A histogram has %d ranges, not %d.".formatted(RANGES, counts.length));
    }
    for (long count : counts) {
      if (count < 0) {
        throw new IllegalArgumentException("The number %d must not be negative.".formatted(count));
      }
    }
    return new DurationHistogram(Arrays.copyOf(counts, RANGES));
  }

  /**
   * {@return the sum of histograms}
   *
   * @param parts the histograms
   */
  public static DurationHistogram sum(Collection<DurationHistogram> parts) {
    long[] sums = new long[RANGES];
    for (DurationHistogram part : parts) {
      for (int i = 0; i < RANGES; i++) {
        sums[i] += part.counts[i];
      }
    }
    return new DurationHistogram(sums);
  }

  /**
   * {@return the range to which a duration belongs, from 0} A negative duration belongs to the
   * first one.
   *
   * @param nanos the duration in nanoseconds
   */
  public static int rangeOf(long nanos) {
    long millis = Math.max(0, nanos / NANOS_PER_MILLI);
    return Math.min(Long.SIZE - Long.numberOfLeadingZeros(millis), RANGES - 1);
  }

  /** {@return how many durations are in each range, shortest first} */
  public long[] counts() {
    return counts.clone();
  }

  /** {@return the number of all durations} */
  public long count() {
    return Arrays.stream(counts).sum();
  }

  /**
   * {@return the duration that the given part of the durations does not exceed, or empty if there
   * are none} It is interpolated within its range, so it may be up to half as short or twice as
   * long as the exact one.
   *
   * @param part the part, from 0 to 1; for example 0.5 for the median
   * @throws IllegalArgumentException if the part is not in that interval
   */
  public Optional<Duration> percentile(double part) {
    if (!(part >= 0 && part <= 1)) {
      throw new IllegalArgumentException("Part %s is not in 0..1.".formatted(part));
    }
    double rank = part * count();
    long before = 0;
    for (int i = 0; i < RANGES; i++) {
      if (counts[i] > 0 && before + counts[i] >= rank) {
        double inside = (rank - before) / counts[i];
        double low = i == 0 ? 0 : 1L << (i - 1);
        double high = i == RANGES - 1 ? low : 1L << i;
        return Optional.of(
            Duration.ofNanos(Math.round((low + inside * (high - low)) * NANOS_PER_MILLI)));
      }
      before += counts[i];
    }
    return Optional.empty();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DurationHistogram that && Arrays.equals(counts, that.counts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(counts);
  }

  @Override
  public String toString() {
    return Arrays.toString(counts);
  }
}
