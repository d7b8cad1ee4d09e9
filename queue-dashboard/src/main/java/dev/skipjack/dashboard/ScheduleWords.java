package dev.skipjack.dashboard;

import dev.skipjack.api.schedule.CronTiming;
import dev.skipjack.api.schedule.IntervalTiming;
import dev.skipjack.api.schedule.Timing;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Says in words when a schedule fires. An expression that has no short words stays as it is. */
final class ScheduleWords {

  private static final Pattern MINUTES = Pattern.compile("\\*/([0-9]{1,2})");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,2}");
  private static final Map<String, String> DAYS =
      Map.of(
          "*", "every day",
          "1-5", "on weekdays",
          "mon-fri", "on weekdays",
          "0", "on Sundays",
          "sun", "on Sundays",
          "1", "on Mondays",
          "mon", "on Mondays",
          "5", "on Fridays",
          "fri", "on Fridays");

  private ScheduleWords() {}

  static String of(Timing timing) {
    String when = timing.fold(ScheduleWords::cron, ScheduleWords::interval);
    String zone = timing.zone().getId();
    boolean needsZone = timing.fold(cron -> true, interval -> false);
    return when
        + (needsZone ? ", " + zone : "")
        + (timing.exceptDates().isEmpty() ? "" : ", except on some dates");
  }

  private static String interval(IntervalTiming timing) {
    return "every " + Times.span(timing.interval());
  }

  private static String cron(CronTiming timing) {
    String expression = timing.expression();
    List<String> fields = List.of(expression.strip().split("\\s+", -1));
    String words = fields.size() == 5 ? words(fields) : null;
    return words == null ? expression : words;
  }

  private static @Nullable String words(List<String> fields) {
    String minute = fields.get(0);
    String hour = fields.get(1);
    boolean everyMonth = fields.get(3).equals("*");
    String days = DAYS.get(fields.get(4).toLowerCase(Locale.ROOT));
    boolean everyDate = fields.get(2).equals("*");
    if (!everyMonth || days == null) {
      return null;
    }
    Matcher minutes = MINUTES.matcher(minute);
    if (hour.equals("*") && everyDate && days.equals("every day")) {
      if (minute.equals("*")) {
        return "every minute";
      }
      if (minutes.matches()) {
        return "every " + minutes.group(1) + " minutes";
      }
      return NUMBER.matcher(minute).matches() ? "every hour at :" + two(minute) : null;
    }
    if (!NUMBER.matcher(minute).matches() || !NUMBER.matcher(hour).matches()) {
      return null;
    }
    String time = two(hour) + ":" + two(minute);
    if (everyDate) {
      return days + " at " + time;
    }
    return fields.get(2).equals("1") && days.equals("every day")
        ? "on the first of the month at " + time
        : null;
  }

  private static String two(String number) {
    return number.length() == 1 ? "0" + number : number;
  }
}
