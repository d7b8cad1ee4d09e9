package dev.skipjack.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses durations such as {@code 90s}, {@code 1h30m} and {@code 7d}, and ISO 8601 durations. */
final class DurationText implements ITypeConverter<Duration> {

  private static final Pattern PARTS =
      Pattern.compile("(?:(\\d{1,9})d)?(?:(\\d{1,9})h)?(?:(\\d{1,9})m)?(?:(\\d{1,9})s)?");

  @Override
  public Duration convert(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    Matcher parts = PARTS.matcher(lower);
    if (!lower.isEmpty() && parts.matches()) {
      return Duration.ofDays(part(parts, 1))
          .plusHours(part(parts, 2))
          .plusMinutes(part(parts, 3))
          .plusSeconds(part(parts, 4));
    }
    try {
      return Duration.parse(text);
    } catch (DateTimeException neither) {
      throw new TypeConversionException(
          "'%s' is not a duration. Write for example 90s, 15m, 1h30m or 7d.".formatted(text));
    }
  }

  private static long part(Matcher parts, int group) {
    String digits = parts.group(group);
    return digits == null ? 0 : Long.parseLong(digits);
  }
}
