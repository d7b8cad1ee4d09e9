package dev.skipjack.api;

import java.time.Duration;

/**
 * How long history is kept. Ages are measured by the database's clock. Older history is removed
 * within a day, in whole partitions where possible.
 *
 * @param archive how long completed and cancelled jobs are kept, with their payloads, in queues
 *     without a {@code job_queues.archive_retention} of their own; 0 to 36,500 days, default 7 days
 * @param audit how long the audit of attempts is kept, in whole calendar weeks; 0 to 36,500 days,
 *     default 30 days. A week in which a running attempt started is kept until that attempt ends.
 *     If it is shorter than {@code archive}, archived jobs are shown without the attempts that the
 *     audit no longer has.
 */
public record Retention(Duration archive, Duration audit) {

  private static final Duration LONGEST = Duration.ofDays(36_500);

  /** Rejects ages out of range. */
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

  /** Returns the default retention of archive and audit. */
  public static Retention defaults() {
    return new Retention(Duration.ofDays(7), Duration.ofDays(30));
  }
}
