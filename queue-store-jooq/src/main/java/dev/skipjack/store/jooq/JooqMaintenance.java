package dev.skipjack.store.jooq;

import dev.skipjack.api.Retention;
import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.api.spi.RemovedPartitions;
import dev.skipjack.store.jooq.FoundPartition.State;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * The life of partitions in PostgreSQL, docs/adr/0011 tells why it is lived so, and the pruning of
 * what lies in no partition.
 */
final class JooqMaintenance implements Maintenance {

  private static final long LONGEST_CALL = Duration.ofSeconds(10).toNanos();
  private static final int KEYS = 5_000;

  /** Silence after which nobody wonders any more what became of a worker. */
  private static final Duration WORKERS_KEPT = Duration.ofDays(1);

  private final OwnTransactions transactions;
  private final Statements statements;
  private final PartitionCreator creator;
  private final PartitionRemover remover;
  private final ArchiveSweeper sweeper;
  private final DeadLetterPruner deadLetters;

  JooqMaintenance(
      OwnTransactions transactions,
      Statements statements,
      PartitionCreator creator,
      PartitionDdl ddl,
      DeadLetters deadLetters) {
    this.transactions = transactions;
    this.statements = statements;
    this.creator = creator;
    this.remover = new PartitionRemover(transactions, statements, ddl);
    this.sweeper = new ArchiveSweeper(transactions, statements);
    this.deadLetters = new DeadLetterPruner(deadLetters);
  }

  @Override
  public CreatedPartitions createPartitions(Duration ahead) {
    return creator.create(ahead);
  }

  /** One call at a time: what remover and sweeper remember is not for two threads. */
  @Override
  public synchronized RemovedPartitions removePartitions(Retention retention) {
    long deadline = System.nanoTime() + LONGEST_CALL;
    Instant now = creator.now();
    List<String> removed = new ArrayList<>();
    List<Postponed> postponed = new ArrayList<>();
    AtomicLong rows = new AtomicLong();
    step(PartitionedTable.ARCHIVE, postponed)
        .run(() -> rows.set(removeArchive(retention, now, deadline, removed, postponed)));
    step(PartitionedTable.AUDIT, postponed)
        .run(
            () ->
                remover.remove(
                    PartitionedTable.AUDIT,
                    now.minus(retention.audit()),
                    deadline,
                    removed,
                    postponed));
    return new RemovedPartitions(removed, rows.get(), postponed);
  }

  private static MaintenanceSteps step(PartitionedTable table, List<Postponed> postponed) {
    return new MaintenanceSteps(
        failure ->
            postponed.add(
                new Postponed(
                    table.table().getName(), Reason.FAILED, String.valueOf(failure.getMessage()))));
  }

  private long removeArchive(
      Retention retention,
      Instant now,
      long deadline,
      List<String> removed,
      List<Postponed> postponed) {
    Cutoffs cutoffs =
        new Cutoffs(now.minus(retention.archive()), ownCutoffs(statements.readCutoffs));
    Instant oldest = cutoffs.oldest();
    remover.remove(PartitionedTable.ARCHIVE, oldest, deadline, removed, postponed);
    List<Partition> kept =
        remover.find(PartitionedTable.ARCHIVE).stream()
            .filter(found -> found.state() == State.ATTACHED)
            .map(FoundPartition::partition)
            .filter(partition -> partition.end().isAfter(oldest))
            .toList();
    return sweeper.sweep(kept, cutoffs, deadline, postponed);
  }

  @Override
  public Pruned prune() {
    long deadline = System.nanoTime() + LONGEST_CALL;
    List<String> failed = new ArrayList<>();
    AtomicLong keys = new AtomicLong();
    AtomicLong jobs = new AtomicLong();
    AtomicBoolean unfinished = new AtomicBoolean();
    MaintenanceSteps.named("Silent workers", failed)
        .run(
            () ->
                transactions.run(
                    statements.removeSilentWorkers,
                    RemoveWorkersStatement.argumentsForSilent(WORKERS_KEPT),
                    row -> row.getLong(1)));
    MaintenanceSteps.named("Keys", failed).run(() -> pruneKeys(deadline, keys, unfinished));
    MaintenanceSteps.named("Dead jobs", failed)
        .run(() -> pruneDead(deadline, jobs, unfinished, failed));
    return new Pruned(keys.get(), jobs.get(), unfinished.get(), failed);
  }

  private void pruneKeys(long deadline, AtomicLong keys, AtomicBoolean unfinished) {
    Batches batches = new Batches(KEYS);
    while (true) {
      long pruned =
          batches.run(
              size ->
                  transactions
                      .run(
                          statements.pruneKeys,
                          PruneKeysStatement.arguments(size),
                          row -> row.getLong(1))
                      .get(0));
      if (pruned == 0) {
        return;
      }
      keys.addAndGet(pruned);
      if (System.nanoTime() - deadline > 0) {
        unfinished.set(true);
        return;
      }
    }
  }

  private void pruneDead(
      long deadline, AtomicLong jobs, AtomicBoolean unfinished, List<String> failed) {
    Map<String, Instant> cutoffs = ownCutoffs(statements.readDeadCutoffs);
    if (!deadLetters.prune(cutoffs, creator.now(), deadline, jobs, failed)) {
      unfinished.set(true);
    }
  }

  private Map<String, Instant> ownCutoffs(StatementText statement) {
    return transactions.run(statement, new Arguments(), ReadCutoffsStatement::read).stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }
}
