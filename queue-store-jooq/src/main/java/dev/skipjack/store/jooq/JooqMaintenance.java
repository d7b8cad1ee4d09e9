package dev.skipjack.store.jooq;

import dev.skipjack.api.DeadJobs;
import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.api.spi.RemovedPartitions;
import dev.skipjack.store.jooq.FoundPartition.State;
import dev.skipjack.store.jooq.spi.Arguments;
import dev.skipjack.store.jooq.spi.HotStatement;
import dev.skipjack.store.jooq.spi.OwnTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
  private final DeadLetters deadLetters;

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
    this.deadLetters = deadLetters;
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
    Cutoffs cutoffs =
        new Cutoffs(now.minus(retention.archive()), ownCutoffs(statements.readCutoffs));
    List<String> removed = new ArrayList<>();
    List<Postponed> postponed = new ArrayList<>();
    Instant oldest = cutoffs.oldest();
    remover.remove(PartitionedTable.ARCHIVE, oldest, deadline, removed, postponed);
    remover.remove(
        PartitionedTable.AUDIT, now.minus(retention.audit()), deadline, removed, postponed);
    List<Partition> kept =
        remover.find(PartitionedTable.ARCHIVE).stream()
            .filter(found -> found.state() == State.ATTACHED)
            .map(FoundPartition::partition)
            .filter(partition -> partition.end().isAfter(oldest))
            .toList();
    long rows = sweeper.sweep(kept, cutoffs, deadline, postponed);
    return new RemovedPartitions(removed, rows, postponed);
  }

  @Override
  public Pruned prune() {
    long deadline = System.nanoTime() + LONGEST_CALL;
    transactions.run(
        statements.removeSilentWorkers,
        RemoveWorkersStatement.argumentsForSilent(WORKERS_KEPT),
        row -> row.getLong(1));
    long keys = 0;
    boolean unfinished = false;
    Batches batches = new Batches(KEYS);
    while (!unfinished) {
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
        break;
      }
      keys += pruned;
      unfinished = System.nanoTime() - deadline > 0;
    }
    AtomicLong jobs = new AtomicLong();
    Instant now = creator.now();
    StoreException failed = null;
    for (Map.Entry<String, Instant> queue : ownCutoffs(statements.readDeadCutoffs).entrySet()) {
      try {
        unfinished |=
            !deadLetters.forEachBatch(
                DeadJobs.all().ofQueue(queue.getKey()),
                Duration.between(queue.getValue(), now),
                batch -> {
                  jobs.addAndGet(deadLetters.pruneFree(batch));
                  return System.nanoTime() - deadline < 0;
                });
      } catch (StoreException failure) {
        failed = failure; // one queue's trouble must not keep the others' dead jobs
      }
    }
    if (failed != null) {
      throw failed;
    }
    return new Pruned(keys, jobs.get(), unfinished);
  }

  private Map<String, Instant> ownCutoffs(HotStatement statement) {
    return transactions.run(statement, new Arguments(), ReadCutoffsStatement::read).stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }
}
