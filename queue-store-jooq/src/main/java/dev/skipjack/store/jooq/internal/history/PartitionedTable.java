package dev.skipjack.store.jooq.internal.history;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.TemporalAdjusters;
import java.util.List;
import java.util.Optional;

/**
 * A partitioned table. Bounds follow the UTC calendar, regardless of the session's time zone.
 *
 * @param days the length of a partition: 1, or 7 for weeks, which begin on Monday
 */
record PartitionedTable(String name, int days) {

  /** The audit, with one partition for each week in which attempts began. */
  static final PartitionedTable AUDIT = new PartitionedTable("job_executions", 7);

  /** The archive, with one partition for each day on which jobs ended. */
  static final PartitionedTable ARCHIVE = new PartitionedTable("jobs_archive", 1);

  /** The tables of the history of jobs. */
  static final List<PartitionedTable> OF_JOBS = List.of(AUDIT, ARCHIVE);

  private static final int DATE_DIGITS = 8;

  /** Returns the partition that contains the rows of this instant. */
  Partition containing(Instant instant) {
    return startingBy(LocalDate.ofInstant(instant, ZoneOffset.UTC));
  }

  private Partition startingBy(LocalDate day) {
    return new Partition(
        this, days == 1 ? day : day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)));
  }

  /**
   * Returns the partition with this name, or empty if no partition of this table can have the name.
   */
  Optional<Partition> named(String partition) {
    String prefix = name + "_";
    if (!partition.startsWith(prefix) || partition.length() != prefix.length() + DATE_DIGITS) {
      return Optional.empty();
    }
    try {
      LocalDate day =
          LocalDate.parse(partition.substring(prefix.length()), DateTimeFormatter.BASIC_ISO_DATE);
      return Optional.of(startingBy(day)).filter(found -> found.from().equals(day));
    } catch (DateTimeParseException notOurs) {
      return Optional.empty();
    }
  }
}
