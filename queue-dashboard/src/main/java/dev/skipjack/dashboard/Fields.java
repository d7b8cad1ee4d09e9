package dev.skipjack.dashboard;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the values of forms and filters. */
final class Fields {

  private static final Pattern SPAN = Pattern.compile("([0-9]{1,9})\\s*(s|m|h|d)");

  /** The first number of days that {@link #SPAN} cannot express. */
  private static final long MOST_DAYS = 1_000_000_000;

  private Fields() {}

  static int number(String text, String what) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException malformed) {
      throw Refusal.badInput(what + " must be a number.");
    }
  }

  static Instant time(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException malformed) {
      throw Refusal.badInput("The due time must have the form 2026-12-01T08:00:00Z.");
    }
  }

  /** Returns whether a text is a duration such as 2h. */
  static boolean isDuration(String text) {
    return SPAN.matcher(text).matches();
  }

  /** Returns a duration such as 30s, 15m, 2h or 7d, or one in the form of {@link Duration}. */
  static Duration duration(String text) {
    Matcher span = SPAN.matcher(text);
    if (!span.matches()) {
      return exact(text);
    }
    long number = Long.parseLong(span.group(1));
    return switch (span.group(2)) {
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }

  private static Duration exact(String text) {
    try {
      Duration duration = Duration.parse(text);
      if (!duration.isNegative() && duration.toDays() < MOST_DAYS) {
        return duration;
      }
    } catch (DateTimeException malformed) {
      // refused below
    }
    throw Refusal.badInput("A time must have the form 30s, 15m, 2h, 7d or PT0.5S.");
  }

  /** Returns a duration, in the largest unit that expresses it, as {@link #duration} reads it. */
  static String span(Duration duration) {
    if (!duration.equals(Duration.ofSeconds(duration.toSeconds()))) {
      return duration.toString();
    }
    if (duration.equals(Duration.ofDays(duration.toDays()))) {
      return duration.toDays() + "d";
    }
    return duration.equals(Duration.ofHours(duration.toHours()))
        ? duration.toHours() + "h"
        : duration.toSeconds() + "s";
  }
}
