package dev.skipjack.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats a value for a table. */
final class Cell {

  /** The maximum length of a cell; JSON and {@code show} contain the whole value. */
  private static final int LONGEST = 60;

  /**
   * Matches control characters, including those of the range C1, line and paragraph separators, and
   * marks that change the direction of text. Stored text may contain sequences that a terminal
   * would execute.
   */
  static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

  private static final Pattern SEVERAL_UNSAFE = Pattern.compile(UNSAFE + "+");

  private static final int HOURS_OF_DAY = 24;

  /** A text that a table shows in full, because it is the argument of another command. */
  record Uncut(String text) {}

  private Cell() {}

  /** Returns the value as one line of limited length. */
  static String of(@Nullable Object value) {
    if (value instanceof Uncut uncut) {
      return whole(uncut.text());
    }
    String text = whole(value);
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 3) + "...";
  }

  /** Returns the value as one line. */
  static String whole(@Nullable Object value) {
    if (isEmpty(value)) {
      return "-";
    }
    if (value instanceof Instant instant) {
      return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }
    if (value instanceof Duration duration) {
      return duration(duration);
    }
    if (value instanceof Boolean known) {
      return known ? "yes" : "no";
    }
    if (value instanceof Enum<?> constant) {
      return literal(constant);
    }
    if (value instanceof Collection<?> several) {
      return several.stream().map(Cell::whole).collect(Collectors.joining(", "));
    }
    return safe(String.valueOf(value));
  }

  /** Returns the text without line breaks and control sequences. */
  static String safe(String text) {
    return SEVERAL_UNSAFE.matcher(text.strip()).replaceAll(" ");
  }

  /** Returns a line of a stack trace without control sequences, but with its indentation. */
  static String indented(String line) {
    return (line.startsWith("\t") ? "    " : "") + safe(line);
  }

  static boolean isEmpty(@Nullable Object value) {
    return value == null
        || (value instanceof Collection<?> several && several.isEmpty())
        || (value instanceof String text && text.isEmpty());
  }

  static String literal(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** Returns a number with its noun, for example {@code 1 job} or {@code 2 jobs}. */
  static String count(long number, String one, String several) {
    return number + " " + (number == 1 ? one : several);
  }

  static String jobs(long number) {
    return count(number, "job", "jobs");
  }

  /** Returns the two largest units of a duration, for example {@code 3d 4h}. */
  static String duration(Duration duration) {
    if (duration.isNegative()) {
      return "-" + duration(duration.negated());
    }
    long seconds = duration.toSeconds();
    if (duration.isZero()) {
      return "0s";
    }
    if (seconds < 1) {
      return duration.toMillis() + "ms";
    }
    long days = duration.toDays();
    long hours = duration.toHours() % HOURS_OF_DAY;
    if (days > 0) {
      return pair(days, "d", hours, "h");
    }
    return hours > 0
        ? pair(hours, "h", duration.toMinutesPart(), "m")
        : duration.toMinutes() > 0
            ? pair(duration.toMinutes(), "m", duration.toSecondsPart(), "s")
            : seconds + "s";
  }

  private static String pair(long large, String unit, long small, String smallUnit) {
    return large + unit + (small == 0 ? "" : " " + small + smallUnit);
  }
}
