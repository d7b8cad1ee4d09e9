package dev.skipjack.testkit;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats jobs for the messages of failed assertions. */
final class Texts {

  private static final int MOST_JOBS = 20;

  private Texts() {}

  /** Returns a duration in readable form, such as {@code 1h30m} or {@code 12.345s}. */
  static String of(Duration duration) {
    Duration rounded = duration.truncatedTo(ChronoUnit.MILLIS);
    return rounded.toString().substring("PT".length()).toLowerCase(Locale.ROOT);
  }

  static String shortened(String text, int most) {
    return text.length() <= most
        ? text
        : String.format(
            Locale.ROOT, "%s... (%,d characters)", text.substring(0, most), text.length());
  }

  /** Returns a line for each of the first 20 jobs. */
  static String list(List<JobRow> jobs) {
    String lines =
        jobs.stream()
            .limit(MOST_JOBS)
            .map(job -> "\n  " + job.describe())
            .collect(Collectors.joining());
    int rest = jobs.size() - MOST_JOBS;
    return rest > 0 ? String.format(Locale.ROOT, "%s\n  and %,d more", lines, rest) : lines;
  }

  /** Returns a number of jobs, such as {@code 1 job} or {@code 2 jobs}. */
  static String jobs(int count) {
    return count == 1 ? "1 job" : String.format(Locale.ROOT, "%,d jobs", count);
  }
}
