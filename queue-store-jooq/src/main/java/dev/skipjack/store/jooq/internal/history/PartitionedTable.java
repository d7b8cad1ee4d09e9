package dev.skipjack.store.jooq.internal.history;

import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static dev.skipjack.model.Tables.OUTBOX_PUBLISHED;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.TemporalAdjusters;
import java.util.List;
import java.util.Optional;
import org.jooq.Table;

/** A partitioned table. Bounds follow the UTC calendar, regardless of the session's time zone. */
enum PartitionedTable {
  /** The audit, with one partition for each week in which attempts began; weeks begin on Monday. */
  AUDIT(7),
  /** The archive, with one partition for each day on which jobs ended. */
  ARCHIVE(1),
  /** The published events, with one partition for each day on which they were published. */
  PUBLISHED(1);

  /** The tables of the history of jobs. */
  static final List<PartitionedTable> OF_JOBS = List.of(AUDIT, ARCHIVE);

  private static final int DATE_DIGITS = 8;

  private final int days;

  PartitionedTable(int days) {
    this.days = days;
  }

  Table<?> table() {
    return switch (this) {
      case AUDIT -> JOB_EXECUTIONS;
      case ARCHIVE -> JOBS_ARCHIVE;
      case PUBLISHED -> OUTBOX_PUBLISHED;
    };
  }

  int days() {
    return days;
  }

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
  Optional<Partition> named(String name) {
    String prefix = table().getName() + "_";
    if (!name.startsWith(prefix) || name.length() != prefix.length() + DATE_DIGITS) {
      return Optional.empty();
    }
    try {
      LocalDate day =
          LocalDate.parse(name.substring(prefix.length()), DateTimeFormatter.BASIC_ISO_DATE);
      return Optional.of(startingBy(day)).filter(partition -> partition.from().equals(day));
    } catch (DateTimeParseException notOurs) {
      return Optional.empty();
    }
  }
}
