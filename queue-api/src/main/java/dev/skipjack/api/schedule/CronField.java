package dev.skipjack.api.schedule;

import java.util.List;

/** The fields of a cron expression, in the order in which they are written. */
enum CronField {
  SECOND("second", 0, 59, ""),
  MINUTE("minute", 0, 59, ""),
  HOUR("hour", 0, 23, ""),
  DAY_OF_MONTH("day of month", 1, 31, ""),
  MONTH("month", 1, 12, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"),
  /** The day of the week, from 0 (Sunday) to 6 (Saturday). The value 7 also means Sunday. */
  DAY_OF_WEEK("day of week", 0, 6, "SUN MON TUE WED THU FRI SAT");

  final String title;
  final int min;
  final int max;
  private final String names;

  CronField(String title, int min, int max, String names) {
    this.title = title;
    this.min = min;
    this.max = max;
    this.names = names;
  }

  /** Returns the names of the values in ascending order; empty if the values have no names. */
  List<String> names() {
    return names.isEmpty() ? List.of() : List.of(names.split(" "));
  }
}
