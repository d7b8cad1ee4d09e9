package dev.skipjack.api;

import java.time.Duration;

/**
 * Determines how long the history of jobs is kept. Ages are measured by the database clock. Older
 * history is removed within a day, in whole partitions where possible.
 *
 * @param archive how long completed and cancelled jobs are kept with their payloads, unless their
 *     queue has its own {@code job_queues.archive_retention}; from 0 to 36,500 days, 7 days by
 *     default
 * @param audit how long the audit of attempts is kept, in whole calendar weeks; from 0 to 36,500
 *     days, 30 days by default. A week in which a running attempt started is kept until that
 *     attempt ends. If this retention is shorter than {@code archive}, archived jobs are shown
 *     without the attempts that have been removed from the audit
 */
public record Retention(Duration archive, Duration audit) {

  private static final Duration LONGEST = Duration.ofDays(36_500);

  /**
   * Creates a retention.
   *
   * @param archive how long ended jobs are kept
   * @param audit how long attempts are kept
   * @throws IllegalArgumentException if a duration is out of range
   */
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

  /** {@return the default retention of archive and audit} */
  public static Retention defaults() {
    return new Retention(Duration.ofDays(7), Duration.ofDays(30));
  }
}
