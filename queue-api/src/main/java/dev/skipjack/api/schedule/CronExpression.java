package dev.skipjack.api.schedule;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A parsed cron expression, which determines local times without a time zone.
 *
 * @param text the expression in upper case, with one space between its fields
 * @param seconds a bit set, in which bit n is set if the expression fires at second n; likewise for
 *     minutes, hours and months
 */
record CronExpression(
    String text, long seconds, long minutes, long hours, long months, Predicate<LocalDate> days) {

  boolean firesInEveryHour() {
    return hours == (1L << 24) - 1;
  }

  boolean firesOn(LocalDate date) {
    return has(months, date.getMonthValue()) && days.test(date);
  }

  /**
   * Returns the first time at or after {@code from}, or null if there is none up to the date {@code
   * last}.
   */
  @Nullable LocalDateTime nextOrSame(LocalDateTime from, LocalDate last, ExceptDates except) {
    LocalDate date = from.toLocalDate();
    LocalTime earliest = from.toLocalTime();
    while (!date.isAfter(last)) {
      if (!has(months, date.getMonthValue())) {
        date = date.withDayOfMonth(1).plusMonths(1);
      } else {
        if (days.test(date) && !except.contains(date)) {
          LocalTime time = nextOrSame(earliest);
          if (time != null) {
            return date.atTime(time);
          }
        }
        date = date.plusDays(1);
      }
      earliest = LocalTime.MIN;
    }
    return null;
  }

  private @Nullable LocalTime nextOrSame(LocalTime from) {
    int hour = next(hours, from.getHour());
    int minute = -1;
    int second = -1;
    if (hour == from.getHour()) {
      minute = next(minutes, from.getMinute());
      if (minute == from.getMinute()) {
        second = next(seconds, from.getSecond());
        minute = second < 0 ? next(minutes, minute + 1) : minute;
      }
      hour = minute < 0 ? next(hours, hour + 1) : hour;
    }
    if (hour < 0) {
      return null;
    }
    return LocalTime.of(
        hour, minute < 0 ? next(minutes, 0) : minute, second < 0 ? next(seconds, 0) : second);
  }

  private static boolean has(long bits, int value) {
    return (bits >>> value & 1) != 0;
  }

  /**
   * Returns the lowest value in the set that is at least {@code from} (0 to 63), or -1 if there is
   * none.
   */
  private static int next(long bits, int from) {
    long rest = bits >>> from;
    return rest == 0 ? -1 : from + Long.numberOfTrailingZeros(rest);
  }
}
