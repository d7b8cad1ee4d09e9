package dev.skipjack.handlers;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the durations in annotations. */
final class DurationText {

  private static final Pattern SIMPLE = Pattern.compile("(\\d{1,15})(ms|s|m|h|d)");

  private static final Map<String, ChronoUnit> UNITS =
      Map.of(
          "ms", ChronoUnit.MILLIS,
          "s", ChronoUnit.SECONDS,
          "m", ChronoUnit.MINUTES,
          "h", ChronoUnit.HOURS,
          "d", ChronoUnit.DAYS);

  private DurationText() {}

  /**
   * Parses a duration such as {@code 30s} or {@code PT30S}.
   *
   * @throws RuntimeException if the text is not a duration, or is out of the range of a duration
   */
  static Duration parse(String text) {
    Matcher simple = SIMPLE.matcher(text);
    if (!simple.matches()) {
      return Duration.parse(text);
    }
    ChronoUnit unit = UNITS.getOrDefault(simple.group(2), ChronoUnit.SECONDS);
    return Duration.of(Long.parseLong(simple.group(1)), unit);
  }
}
