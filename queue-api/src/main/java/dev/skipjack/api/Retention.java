package dev.skipjack.api;

import java.time.Duration;

/**
 * How long history is kept. Ages are by the database's clock; what is older goes within a day of
 * its age, whole partitions at a time where possible.
 *
 * @param archive how long completed and cancelled jobs are kept, payload included, in queues that
 *     set nothing of their own in {@code job_queues.archive_retention}; default 7 days, 0 to 36,500
 *     days
 * @param audit how long the audit of attempts is kept, in weeks of the calendar that are all over;
 *     default 30 days, 0 to 36,500 days. A week in which an attempt began that still runs is kept
 *     until that attempt ends. Shorter than the archive's, archived jobs lose their history.
 */
public record Retention(Duration archive, Duration audit) {

  private static final Duration LONGEST = Duration.ofDays(36_500);

  /** Refuses ages out of range. */
  public Retention {
    require("Archive", archive);
    require("Audit", audit);
  }

  private static void require(String what, Duration age) {
    if (age.isNegative() || age.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "%s retention %s is not in 0..%d days.".formatted(what, age, LONGEST.toDays()));
    }
  }

  /** Both ages at their default. */
  public static Retention defaults() {
    return new Retention(Duration.ofDays(7), Duration.ofDays(30));
  }
}
