package dev.skipjack.store.jooq.internal.history;

import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.DSLContext;

/** The statements of this package, for tests about all statements of the store. */
public final class HistoryStatements {

  private HistoryStatements() {}

  /** Returns the statements' texts in {@code schema}, by the names of their golden files. */
  public static Map<String, StatementText> texts(String schema) {
    DSLContext dialect = StatementDialect.forSchema(schema);
    return new TreeMap<>(
        Map.ofEntries(
            Map.entry("read-clock", ReadClockStatement.of(dialect).text()),
            Map.entry("present-partitions", PresentPartitionsStatement.of(dialect).text()),
            Map.entry("create-partition", CreatePartitionStatement.of(dialect).text()),
            Map.entry("find-partitions", FindPartitionsStatement.of(dialect, schema).text()),
            Map.entry(
                "find-running-in-partition", FindRunningInPartitionStatement.of(dialect).text()),
            Map.entry("read-cutoffs", ReadCutoffsStatement.ofArchive(dialect).text()),
            Map.entry("read-dead-cutoffs", ReadCutoffsStatement.ofDeadJobs(dialect).text()),
            Map.entry("prune-keys", PruneKeysStatement.of(dialect).text()),
            Map.entry("prune-minutes", PruneMinutesStatement.ofMinutes(dialect).text()),
            Map.entry("prune-depths", PruneMinutesStatement.ofDepths(dialect).text()),
            Map.entry("find-old-changes", PruneChangesStatement.search(dialect).text()),
            Map.entry("prune-changes", PruneChangesStatement.delete(dialect).text()),
            Map.entry("prune-stacks", PruneStacksStatement.of(dialect).text()),
            Map.entry("prune-archive", PruneArchiveStatement.of(dialect).text())));
  }

  /** Runs the statements that maintenance runs only for missing or expired partitions. */
  public static void runThoseOfSomePartitions(OwnTransactions transactions, String schema) {
    DSLContext dialect = StatementDialect.forSchema(schema);
    Instant now = Instant.now();
    transactions.run(
        CreatePartitionStatement.of(dialect), PartitionedTable.ARCHIVE.containing(now));
    transactions.run(
        FindRunningInPartitionStatement.of(dialect),
        new FindRunningInPartitionStatement.Request(
            PartitionedTable.AUDIT.containing(now), 0, 100));
    transactions.run(
        PruneChangesStatement.delete(dialect),
        new PruneChangesStatement.Request(Duration.ofDays(9), 0));
    transactions.run(
        PruneArchiveStatement.of(dialect),
        new PruneArchiveStatement.Request(
            PartitionedTable.ARCHIVE.containing(now),
            0,
            100,
            new Cutoffs(
                now.minus(Duration.ofDays(9)), Map.of("some", now.minus(Duration.ofDays(8))))));
  }
}
