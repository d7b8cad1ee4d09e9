package dev.skipjack.store.jooq.internal.history;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * One partition: its bounds and its name follow from the table and the date it starts on.
 *
 * @param of the table
 * @param from first day, in UTC
 */
record Partition(PartitionedTable of, LocalDate from) {

  String name() {
    return of.table().getName() + "_" + DateTimeFormatter.BASIC_ISO_DATE.format(from);
  }

  Instant start() {
    return from.atStartOfDay(ZoneOffset.UTC).toInstant();
  }

  /** The first instant behind it. */
  Instant end() {
    return next().start();
  }

  Partition next() {
    return new Partition(of, from.plusDays(of.days()));
  }
}
