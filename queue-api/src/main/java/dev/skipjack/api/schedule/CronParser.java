package dev.skipjack.api.schedule;

import dev.skipjack.api.spi.SafeText;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/** Parses cron expressions, whose syntax is documented in {@link CronTiming}. */
final class CronParser {

  private static final int LONGEST = 500;

  private static final Map<String, String> MACROS =
      Map.of(
          "@hourly", "0 * * * *",
          "@daily", "0 0 * * *",
          "@midnight", "0 0 * * *",
          "@weekly", "0 0 * * SUN",
          "@monthly", "0 0 1 * *",
          "@yearly", "0 0 1 1 *",
          "@annually", "0 0 1 1 *");

  /**
   * The start of a 28-year period, in which both leap years and common years start on every day of
   * the week.
   */
  private static final LocalDate CALENDAR_BEGIN = LocalDate.of(2000, 1, 1);

  private static final LocalDate CALENDAR_END = CALENDAR_BEGIN.plusYears(28);

  private CronParser() {}

  static CronExpression parse(String expression) {
    String shown = "Cron expression '%s'".formatted(SafeText.of(expression, 80));
    if (expression.length() > LONGEST) {
      throw new IllegalArgumentException(
          "%s has %d characters; at most %d are allowed."
              .formatted(shown, expression.length(), LONGEST));
    }
    String text = expression.strip().replaceAll("\\s+", " ").toUpperCase(Locale.ROOT);
    if (text.startsWith("@")) {
      return macro(shown, text.toLowerCase(Locale.ROOT));
    }
    List<String> words = List.of(text.split(" "));
    if (words.size() != 5 && words.size() != 6) {
      throw new IllegalArgumentException(
          "%s has %d fields. Write 5 (minute, hour, day of month, month, day of week) or 6, with the second first."
              .formatted(shown, text.isEmpty() ? 0 : words.size()));
    }
    return fields(shown, text, words);
  }

  private static CronExpression macro(String shown, String name) {
    String fields = MACROS.get(name);
    if (fields == null) {
      throw new IllegalArgumentException(
          "%s is unknown. Use one of %s."
              .formatted(shown, MACROS.keySet().stream().sorted().toList()));
    }
    return fields(shown, name, List.of(fields.split(" ")));
  }

  private static CronExpression fields(String shown, String text, List<String> words) {
    List<CronFieldParser> fields = new ArrayList<>();
    for (CronField field : CronField.values()) {
      // With five fields, the second has no position and is 0.
      int number = fields.size() + words.size() - 5;
      fields.add(
          new CronFieldParser(field, number == 0 ? "0" : words.get(number - 1), shown, number));
    }
    CronExpression expression =
        new CronExpression(
            text,
            fields.get(0).bits(),
            fields.get(1).bits(),
            fields.get(2).bits(),
            fields.get(4).bits(),
            days(fields.get(3), fields.get(5)));
    if (CALENDAR_BEGIN.datesUntil(CALENDAR_END).noneMatch(expression::firesOn)) {
      throw new IllegalArgumentException(
          "%s never fires: its months have no such day.".formatted(shown));
    }
    return expression;
  }

  private static Predicate<LocalDate> days(CronFieldParser ofMonth, CronFieldParser ofWeek) {
    Predicate<LocalDate> inMonth = ofMonth.dates(LocalDate::getDayOfMonth);
    Predicate<LocalDate> inWeek = ofWeek.dates(date -> date.getDayOfWeek().getValue() % 7);
    return ofMonth.isRestricted() && ofWeek.isRestricted()
        ? inMonth.or(inWeek)
        : inMonth.and(inWeek);
  }
}
