package dev.skipjack.importing;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Converts cron expressions of Quartz, which number the days of the week from 1 for Sunday. An
 * expression that might have another meaning in Skipjack is rejected.
 */
final class QuartzCron {

  private static final int FIELDS = 6;
  private static final int SATURDAY = 7;

  /** {@code *}, {@code ?}, numbers, names and ranges. Names and their ranges may not have steps. */
  private static final Pattern PLAIN =
      Pattern.compile("[*?]|\\d+(-\\d+)?|[A-Z]{3}(-[A-Z]{3})?|(\\*|\\d+(-\\d+)?)/\\d+");

  /**
   * The last day of the month, or a day before it. The nearest weekday ({@code W}) is not
   * converted, because Quartz does not fire in the first minutes of that day.
   */
  private static final Pattern SPECIAL_DAY_OF_MONTH = Pattern.compile("L(-[1-9]\\d?)?");

  private static final Pattern SPECIAL_DAY_OF_WEEK = Pattern.compile("[1-7](L|#[1-5])");

  /** A day of the week or a range of days, optionally with a step. */
  private static final Pattern DAYS = Pattern.compile("(\\d|\\*)(?:-(\\d))?(?:/([1-7]))?");

  private QuartzCron() {}

  /**
   * Returns the expression with Skipjack's days of the week.
   *
   * @throws IllegalArgumentException if the expression names years, has too few fields, or has a
   *     field that is not converted
   */
  static String convert(String quartz) {
    List<String> fields = List.of(quartz.strip().toUpperCase(Locale.ROOT).split("\\s+", -1));
    if (fields.size() < FIELDS) {
      throw new IllegalArgumentException(
          "Cron expression '%s' has %d fields, but Quartz has at least six."
              .formatted(quartz, fields.size()));
    }
    if (fields.size() > FIELDS && !fields.get(FIELDS).matches("[*?]")) {
      throw new IllegalArgumentException(
          "Cron expression '%s' names years. Leave them out.".formatted(quartz));
    }
    for (int field = 0; field < FIELDS; field++) {
      String text = fields.get(field);
      boolean special =
          (field == 3 && SPECIAL_DAY_OF_MONTH.matcher(text).matches())
              || (field == FIELDS - 1 && SPECIAL_DAY_OF_WEEK.matcher(text).matches());
      if (!special
          && !Arrays.stream(text.split(",", -1)).allMatch(part -> PLAIN.matcher(part).matches())) {
        throw new IllegalArgumentException(
            "Cron expression '%s' has the field '%s', which is not converted."
                .formatted(quartz, text));
      }
    }
    String days =
        Arrays.stream(fields.get(FIELDS - 1).split(",", -1))
            .map(QuartzCron::days)
            .collect(Collectors.joining(","));
    return String.join(" ", fields.subList(0, FIELDS - 1)) + " " + days;
  }

  private static String days(String part) {
    if (SPECIAL_DAY_OF_WEEK.matcher(part).matches()) {
      return day(part.charAt(0) - '0') + part.substring(1);
    }
    Matcher days = DAYS.matcher(part);
    if (!days.matches() || part.equals("*")) {
      return part;
    }
    int first = days.group(1).equals("*") ? 1 : Integer.parseInt(days.group(1));
    String last = days.group(2);
    if (days.group(3) == null) {
      return last == null ? "" + day(first) : day(first) + "-" + day(Integer.parseInt(last));
    }
    int to = last == null ? SATURDAY : Integer.parseInt(last);
    return IntStream.iterate(first, day -> day <= to, day -> day + Integer.parseInt(days.group(3)))
        .mapToObj(day -> "" + day(day))
        .collect(Collectors.joining(","));
  }

  private static int day(int ofQuartz) {
    return ofQuartz - 1;
  }
}
