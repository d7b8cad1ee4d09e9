package dev.skipjack.operations.diagnosis;

import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.sql.Counted;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAdjusters;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks the tables, indexes and partitions. */
final class StorageChecks {

  /** The number of dead rows of a small table at which autovacuum has certainly begun. */
  private static final long DEAD_NORMAL = 5_000;

  private static final long MEGABYTE = 1L << 20;

  /** Indexes of this size are normal even for few rows. */
  private static final long INDEX_NORMAL = 64 * MEGABYTE;

  /**
   * The number of bytes per row above which indexes are reported. It is more than four times the
   * size that all indexes of a table together normally need for each row.
   */
  private static final long BYTES_OF_ROW = 1_000;

  private static final int DAYS_AHEAD = 2;

  private static final Fix ON_THE_PRIMARY =
      new Fix("skipjack doctor --url <primary>", "run the doctor on the primary");

  private StorageChecks() {}

  static Finding deadRows(List<TableFactsStatement.Facts> tables, boolean standby) {
    if (standby) {
      return Check.DEAD_ROWS.notChecked("A standby has no statistics on rows.", ON_THE_PRIMARY);
    }
    // The worst table has the most dead rows in relation to the number that starts autovacuum.
    Optional<TableFactsStatement.Facts> worst =
        tables.stream().max(Comparator.comparingDouble(StorageChecks::deadness));
    double deadness = worst.map(StorageChecks::deadness).orElse(0.0);
    if (worst.isEmpty() || deadness < 5) {
      return Check.DEAD_ROWS.green("No table has more dead rows than autovacuum removes in time.");
    }
    TableFactsStatement.Facts table = worst.get();
    String sentence =
        "Table %s has %,d dead rows beside %s."
            .formatted(
                table.table(),
                table.deadRows(),
                Counted.of(table.liveRows(), "live row", "live rows"));
    Fix fix =
        new Fix(
            "VACUUM (VERBOSE) %s; -- in the queue's schema".formatted(table.table()),
            "end what holds back vacuum (check vacuum-horizon), then vacuum");
    return deadness < 25
        ? Check.DEAD_ROWS.yellow(sentence, fix)
        : Check.DEAD_ROWS.red(sentence, fix);
  }

  /** Returns the number of dead rows as a multiple of the number that starts autovacuum. */
  private static double deadness(TableFactsStatement.Facts table) {
    return table.deadRows() / (DEAD_NORMAL + 0.05 * table.liveRows());
  }

  static Finding indexSize(List<TableFactsStatement.Facts> tables, boolean standby) {
    if (standby) {
      return Check.INDEX_SIZE.notChecked("A standby has no statistics on rows.", ON_THE_PRIMARY);
    }
    List<TableFactsStatement.Facts> large =
        tables.stream().filter(table -> table.indexBytes() > INDEX_NORMAL).toList();
    Optional<TableFactsStatement.Facts> worst =
        large.stream()
            .filter(table -> rows(table) >= 0)
            .max(Comparator.comparingLong(StorageChecks::bytesOfRow));
    long bytes = worst.map(StorageChecks::bytesOfRow).orElse(0L);
    if (worst.isEmpty() || bytes < BYTES_OF_ROW) {
      return large.stream()
          .filter(table -> rows(table) < 0)
          .findFirst()
          .map(
              table ->
                  Check.INDEX_SIZE.notChecked(
                      "The number of rows of table %s is unknown.".formatted(table.table()),
                      new Fix(
                          "ANALYZE %s; -- in the queue's schema".formatted(table.table()),
                          "check whether autovacuum runs, which analyzes tables")))
          .orElseGet(
              () -> Check.INDEX_SIZE.green("The indexes have the size that their rows need."));
    }
    TableFactsStatement.Facts table = worst.get();
    String sentence =
        "The indexes of table %s have %,d MB for %,d rows; they need less than %,d MB."
            .formatted(
                table.table(),
                table.indexBytes() / MEGABYTE,
                rows(table),
                Math.max(1, rows(table) * BYTES_OF_ROW / 4 / MEGABYTE));
    Fix fix =
        new Fix(
            "REINDEX TABLE CONCURRENTLY %s; -- in the queue's schema".formatted(table.table()),
            "rebuild the indexes while the workers run");
    return bytes < 10 * BYTES_OF_ROW || table.indexBytes() < 16 * INDEX_NORMAL
        ? Check.INDEX_SIZE.yellow(sentence, fix)
        : Check.INDEX_SIZE.red(sentence, fix);
  }

  private static long bytesOfRow(TableFactsStatement.Facts table) {
    return table.indexBytes() / Math.max(1, rows(table) + table.deadRows());
  }

  /**
   * Returns the number of rows, or a negative number if it is unknown. The number of live rows
   * starts again at zero when the statistics are reset, so the larger of the two numbers is used.
   */
  private static long rows(TableFactsStatement.Facts table) {
    return table.liveRows() > 0
        ? Math.max(table.liveRows(), table.analyzedRows())
        : table.analyzedRows();
  }

  /**
   * @param more the used tables of extensions, which need a partition for each day
   */
  static Finding partitions(
      List<PartitionFactsStatement.Facts> partitions, List<String> more, Instant now) {
    Set<String> names =
        partitions.stream()
            .filter(partition -> !partition.detachPending())
            .map(PartitionFactsStatement.Facts::name)
            .collect(Collectors.toSet());
    Fix create =
        new Fix(
            "skipjack prune",
            "queue.maintenance().createPartitions(Duration.ofDays(14)) with the role worker or operator, or start a worker");
    LocalDate today = now.atZone(ZoneOffset.UTC).toLocalDate();
    for (int days = 0; days <= DAYS_AHEAD; days++) {
      for (String name : namesOf(today.plusDays(days), more)) {
        if (!names.contains(name)) {
          return days == 0
              ? Check.PARTITIONS.red(
                  "Partition %s is missing, and it is needed now.".formatted(name), create)
              : Check.PARTITIONS.yellow(
                  "Partition %s is missing, which will be needed in %s; workers create partitions 14 days ahead."
                      .formatted(name, Counted.of(days, "day", "days")),
                  create);
        }
      }
    }
    return partitions.stream()
        .filter(PartitionFactsStatement.Facts::detachPending)
        .findFirst()
        .map(
            pending ->
                Check.PARTITIONS.yellow(
                    "The removal of partition %s was interrupted and is overdue."
                        .formatted(pending.name()),
                    new Fix(
                        "skipjack prune",
                        "queue.maintenance().removePartitions(retention), by the owner of the tables")))
        .orElseGet(
            () ->
                Check.PARTITIONS.green(
                    "All partitions for the next %d days exist.".formatted(DAYS_AHEAD)));
  }

  /** Returns the names of the partitions that are needed on a day. */
  private static List<String> namesOf(LocalDate day, List<String> more) {
    LocalDate monday = day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
    String date = DateTimeFormatter.BASIC_ISO_DATE.format(day);
    Stream<String> ofJobs =
        Stream.of(
            "job_executions_" + DateTimeFormatter.BASIC_ISO_DATE.format(monday),
            "jobs_archive_" + date);
    return Stream.concat(ofJobs, more.stream().map(table -> table + "_" + date)).toList();
  }
}
