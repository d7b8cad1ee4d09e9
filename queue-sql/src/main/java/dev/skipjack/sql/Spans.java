package dev.skipjack.sql;

import java.time.Duration;
import java.time.Instant;

/** Formats durations in words, with the two largest units, rounded down. */
public final class Spans {

  private Spans() {}

  /**
   * Returns, for example, {@code 2 h 5 min}. A negative duration counts as zero.
   *
   * @param duration the duration
   * @return the duration in words
   */
  public static String of(Duration duration) {
    Duration span = duration.isNegative() ? Duration.ZERO : duration;
    if (span.toDays() > 0) {
      return "%d d %d h".formatted(span.toDays(), span.toHoursPart());
    }
    if (span.toHours() > 0) {
      return "%d h %d min".formatted(span.toHours(), span.toMinutesPart());
    }
    if (span.toMinutes() > 0) {
      return "%d min %d s".formatted(span.toMinutes(), span.toSecondsPart());
    }
    return "%d s".formatted(span.toSeconds());
  }

  /**
   * {@return the duration between two instants in words}
   *
   * @param from the start
   * @param to the end
   */
  public static String between(Instant from, Instant to) {
    return of(Duration.between(from, to));
  }
}
