package dev.skipjack.api.schedule;

import dev.skipjack.api.spi.SafeText;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Parses a field of a cron expression, which is a list of values, ranges, steps and date patterns.
 */
final class CronFieldParser {

  private final CronField field;
  private final String text;
  private final String expression;
  private final int number;
  private final List<Predicate<LocalDate>> patterns = new ArrayList<>();
  private long bits;

  /**
   * @param text the text of the field, in upper case and not empty
   * @param expression the whole expression, for error messages
   * @param number the position of the field in the expression, starting at 1
   */
  CronFieldParser(CronField field, String text, String expression, int number) {
    this.field = field;
    this.text = text;
    this.expression = expression;
    this.number = number;
    if (text.equals("?") && isDay()) {
      addRange(field.min, field.max, 1);
    } else {
      for (String element : text.split(",", -1)) {
        addElement(element);
      }
    }
  }

  /** Returns a bit set, in which bit n is set if the field contains the value n. */
  long bits() {
    return bits;
  }

  boolean isRestricted() {
    return !text.startsWith("*") && !text.equals("?");
  }

  /**
   * Returns a predicate for dates whose value is in the field or that match one of its patterns.
   */
  Predicate<LocalDate> dates(ToIntFunction<LocalDate> value) {
    long values = bits;
    return patterns.stream()
        .reduce(date -> (values >>> value.applyAsInt(date) & 1) != 0, Predicate::or);
  }

  private void addElement(String element) {
    int hash = element.indexOf('#');
    if (field == CronField.DAY_OF_MONTH && element.startsWith("L")) {
      patterns.add(lastDay(element));
    } else if (field == CronField.DAY_OF_MONTH && element.endsWith("W")) {
      patterns.add(nearestWeekday(value(withoutLast(element))));
    } else if (field == CronField.DAY_OF_WEEK && element.endsWith("L")) {
      int day = value(withoutLast(element)) % 7;
      patterns.add(date -> isDay(date, day) && date.getDayOfMonth() + 7 > date.lengthOfMonth());
    } else if (field == CronField.DAY_OF_WEEK && hash >= 0) {
      int day = value(element.substring(0, hash)) % 7;
      int week = number(element.substring(hash + 1), 1, 5);
      patterns.add(date -> isDay(date, day) && (date.getDayOfMonth() - 1) / 7 + 1 == week);
    } else {
      addValues(element);
    }
  }

  private void addValues(String element) {
    int slash = element.indexOf('/');
    int step = slash < 0 ? 1 : number(element.substring(slash + 1), 1, largest());
    String range = slash < 0 ? element : element.substring(0, slash);
    int dash = range.indexOf('-');
    if (range.equals("*")) {
      addRange(field.min, field.max, step);
    } else if (dash >= 0) {
      String first = range.substring(0, dash);
      String last = range.substring(dash + 1);
      int from = value(first);
      int to = value(last);
      // SAT-SUN and 0-7 are ranges. 7-2 means SUN-TUE.
      boolean week = field == CronField.DAY_OF_WEEK;
      from = week && from == 7 && !first.equals(last) ? 0 : from;
      to = week && to == 0 && from > 0 ? 7 : to;
      if (from > to) {
        throw error(
            "%s runs backwards; write %s-%d,%d-%s"
                .formatted(range, first, field.max, field.min, last));
      }
      addRange(from, to, step);
    } else {
      int from = value(range);
      addRange(from, slash < 0 ? from : largest(), step);
    }
  }

  private void addRange(int from, int to, int step) {
    for (int value = from; value <= to; value += step) {
      bits |= 1L << (field == CronField.DAY_OF_WEEK ? value % 7 : value);
    }
  }

  private int value(String text) {
    int name = field.names().indexOf(text);
    if (name >= 0) {
      return field.min + name;
    }
    if (!isNumber(text) && !field.names().isEmpty()) {
      throw error("'%s' is not a number or one of %s".formatted(text, field.names()));
    }
    return number(text, field.min, largest());
  }

  /** Returns the largest number that the field may contain. */
  private int largest() {
    return field == CronField.DAY_OF_WEEK ? 7 : field.max;
  }

  private int number(String digits, int min, int max) {
    if (!isNumber(digits)) {
      throw error("'%s' is not a number".formatted(digits));
    }
    int number = digits.length() > 4 ? Integer.MAX_VALUE : Integer.parseInt(digits);
    if (number < min || number > max) {
      throw error("%s is not in %d..%d".formatted(digits, min, max));
    }
    return number;
  }

  private static boolean isNumber(String text) {
    return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private Predicate<LocalDate> lastDay(String element) {
    if (element.equals("L")) {
      return date -> date.getDayOfMonth() == date.lengthOfMonth();
    }
    if (element.equals("LW")) {
      return date -> date.equals(weekdayNearest(date.withDayOfMonth(date.lengthOfMonth())));
    }
    if (!element.startsWith("L-")) {
      throw error("'%s' is not L, LW or L-n".formatted(element));
    }
    int before = number(element.substring(2), 1, 30);
    return date -> date.getDayOfMonth() == date.lengthOfMonth() - before;
  }

  private static Predicate<LocalDate> nearestWeekday(int day) {
    return date ->
        day <= date.lengthOfMonth() && date.equals(weekdayNearest(date.withDayOfMonth(day)));
  }

  private static LocalDate weekdayNearest(LocalDate date) {
    int day = date.getDayOfMonth();
    return switch (date.getDayOfWeek()) {
      case SATURDAY -> date.plusDays(day == 1 ? 2 : -1);
      case SUNDAY -> date.plusDays(day == date.lengthOfMonth() ? -2 : 1);
      default -> date;
    };
  }

  private static boolean isDay(LocalDate date, int day) {
    return date.getDayOfWeek() == (day == 0 ? DayOfWeek.SUNDAY : DayOfWeek.of(day));
  }

  private boolean isDay() {
    return field == CronField.DAY_OF_MONTH || field == CronField.DAY_OF_WEEK;
  }

  private static String withoutLast(String element) {
    return element.substring(0, element.length() - 1);
  }

  private IllegalArgumentException error(String reason) {
    return new IllegalArgumentException(
        "%s, field %d (%s): %s."
            .formatted(expression, number, field.title, SafeText.of(reason, 160)));
  }
}
