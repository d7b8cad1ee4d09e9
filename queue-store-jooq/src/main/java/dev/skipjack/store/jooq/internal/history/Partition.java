package dev.skipjack.store.jooq.internal.history;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** A partition. Its bounds and its name follow from the table and the first day. */
record Partition(PartitionedTable of, LocalDate from) {

  String name() {
    return of.name() + "_" + DateTimeFormatter.BASIC_ISO_DATE.format(from);
  }

  Instant start() {
    return from.atStartOfDay(ZoneOffset.UTC).toInstant();
  }

  /** Returns the first instant after the partition. */
  Instant end() {
    return next().start();
  }

  Partition next() {
    return new Partition(of, from.plusDays(of.days()));
  }
}
