package dev.skipjack.store.jooq.internal.history;

import static dev.skipjack.model.Tables.JOB_CHANGES;

import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.api.spi.ContinuedOperations;
import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.api.spi.RemovedPartitions;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.SchemaExtension;
import dev.skipjack.sql.ShrinkingLimit;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.history.FoundPartition.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.DSLContext;

/**
 * Creates and removes partitions in PostgreSQL, as docs/adr/0011 explains, and prunes the tables
 * without partitions.
 */
public final class JooqMaintenance implements Maintenance {

  private static final long LONGEST_CALL = Duration.ofSeconds(10).toNanos();
  private static final int KEYS = 5_000;

  /** How long a worker's row is kept for operators after the last heartbeat. */
  private static final Duration WORKERS_KEPT = Duration.ofDays(1);

  private final OwnTransactions transactions;
  private final Lazy<DSLContext> dialect;
  private final Statement<NoRequest, Map.Entry<String, Instant>> readCutoffs;
  private final Statement<NoRequest, Map.Entry<String, Instant>> readDeadCutoffs;
  private final Statement<Integer, Integer> pruneKeys;
  private final Statement<Duration, Integer> pruneMinutes;
  private final Statement<Duration, Integer> pruneDepths;
  private final Statement<Integer, Integer> pruneRateUses;
  private final Statement<PruneChangesStatement.Request, Optional<Long>> findOldChanges;
  private final Statement<PruneChangesStatement.Request, Integer> deleteChanges;
  private final Statement<Integer, Integer> pruneStacks;
  private final PartitionCreator creator;
  private final PartitionRemover remover;
  private final ArchivePruner archivePruner;
  private final Consumer<Duration> removeSilentWorkers;
  private final DeadJobPruning deadJobs;
  private final Supplier<ContinuedOperations> operations;
  private final List<SchemaExtension> extensions;

  /**
   * @param dataSource the data source for detaching and dropping partitions, which {@code
   *     transactions} also uses
   * @param dialect renders statements for the queue's schema, without a connection
   * @param schema the queue's schema as it is named in the catalog
   * @param removeSilentWorkers removes the rows of workers without a heartbeat for the given time
   * @param operations continues operations, as {@link #continueOperations} promises
   * @param extensions add tables whose partitions are created as well
   */
  public JooqMaintenance(
      DataSource dataSource,
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      String schema,
      Consumer<Duration> removeSilentWorkers,
      DeadJobPruning deadJobs,
      Supplier<ContinuedOperations> operations,
      List<SchemaExtension> extensions) {
    this.transactions = transactions;
    this.dialect = dialect;
    this.readCutoffs = Statement.lazily(() -> ReadCutoffsStatement.ofArchive(dialect.get()));
    this.readDeadCutoffs = Statement.lazily(() -> ReadCutoffsStatement.ofDeadJobs(dialect.get()));
    this.pruneKeys = Statement.lazily(() -> PruneKeysStatement.of(dialect.get()));
    this.pruneMinutes = Statement.lazily(() -> PruneMinutesStatement.ofMinutes(dialect.get()));
    this.pruneDepths = Statement.lazily(() -> PruneMinutesStatement.ofDepths(dialect.get()));
    this.pruneRateUses = Statement.lazily(() -> PruneRateUsesStatement.of(dialect.get()));
    this.findOldChanges = Statement.lazily(() -> PruneChangesStatement.search(dialect.get()));
    this.deleteChanges = Statement.lazily(() -> PruneChangesStatement.delete(dialect.get()));
    this.pruneStacks = Statement.lazily(() -> PruneStacksStatement.of(dialect.get()));
    this.creator = new PartitionCreator(transactions, dialect, PartitionedTable.OF_JOBS);
    this.remover =
        new PartitionRemover(transactions, dialect, schema, new PartitionDdl(dataSource, dialect));
    this.archivePruner = new ArchivePruner(transactions, dialect);
    this.removeSilentWorkers = removeSilentWorkers;
    this.deadJobs = deadJobs;
    this.operations = operations;
    this.extensions = extensions;
  }

  /** Deletes dead jobs that are older than their queue's retention. */
  @FunctionalInterface
  public interface DeadJobPruning {
    /**
     * Deletes dead jobs until none is left or the deadline has passed.
     *
     * @param cutoffs the instant before which dead jobs have expired, by queue
     * @param now the current time by the database's clock
     * @param deadline a value of {@link System#nanoTime()}
     * @return the result for dead jobs, without keys
     */
    Pruned prune(Map<String, Instant> cutoffs, Instant now, long deadline);
  }

  @Override
  public CreatedPartitions createPartitions(Duration ahead) {
    CreatedPartitions created = creator.create(ahead);
    for (SchemaExtension extension : extensions) {
      CreatedPartitions more = createOf(extension, ahead);
      created =
          new CreatedPartitions(
              both(created.created(), more.created()),
              both(created.postponed(), more.postponed()),
              created.missingFrom());
    }
    return created;
  }

  /** Creates the partitions of an extension's table, if the table is used. */
  private CreatedPartitions createOf(SchemaExtension extension, Duration ahead) {
    String name = "extensions";
    try {
      name = extension.dailyTable();
      if (!transactions.run(extension.isUsed(dialect.get())).get(0)) {
        return new CreatedPartitions(List.of(), List.of(), Optional.empty());
      }
      return new PartitionCreator(transactions, dialect, List.of(new PartitionedTable(name, 1)))
          .create(ahead);
    } catch (Throwable failure) {
      if (failure instanceof StoreException refused) {
        MaintenanceSteps.requireAvailable(refused);
      }
      Postponed postponed =
          new Postponed(name, Reason.FAILED, String.valueOf(failure.getMessage()));
      return new CreatedPartitions(List.of(), List.of(postponed), Optional.empty());
    }
  }

  private static <E> List<E> both(List<E> first, List<E> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }

  /**
   * Removes expired partitions. Only one call runs at a time, because the remover and the pruner
   * are not thread-safe.
   */
  @Override
  public synchronized RemovedPartitions removePartitions(Retention retention) {
    long deadline = System.nanoTime() + LONGEST_CALL;
    Instant now = creator.now();
    RemovedPartitions archive =
        step(PartitionedTable.ARCHIVE, () -> removeArchive(retention, now, deadline));
    RemovedPartitions audit =
        step(
            PartitionedTable.AUDIT,
            () -> remover.remove(PartitionedTable.AUDIT, now.minus(retention.audit()), deadline));
    return both(both(archive, audit), pruneChanges(retention.audit(), deadline));
  }

  /** Deletes the records of single changes that are older than the audit. */
  private RemovedPartitions pruneChanges(Duration kept, long deadline) {
    String table = JOB_CHANGES.getName();
    ShrinkingLimit limit = new ShrinkingLimit(KEYS);
    try {
      while (limit.run(batch -> pruneChanges(kept, batch)) > 0) {
        if (System.nanoTime() - deadline > 0) {
          return postponed(new Postponed(table, Reason.UNFINISHED));
        }
      }
      return new RemovedPartitions(List.of(), 0, List.of());
    } catch (StoreException failure) {
      return postponed(PartitionErrors.whileRemoving(table, failure));
    }
  }

  private int pruneChanges(Duration kept, int batch) {
    return transactions
        .run(findOldChanges, new PruneChangesStatement.Request(kept, batch))
        .get(0)
        .map(
            last ->
                transactions
                    .run(deleteChanges, new PruneChangesStatement.Request(kept, last))
                    .get(0))
        .orElse(0);
  }

  private static RemovedPartitions postponed(Postponed one) {
    return new RemovedPartitions(List.of(), 0, List.of(one));
  }

  private static RemovedPartitions step(
      PartitionedTable table, Supplier<RemovedPartitions> removal) {
    return MaintenanceSteps.run(
        removal,
        failure ->
            new RemovedPartitions(
                List.of(),
                0,
                List.of(
                    new Postponed(
                        table.name(), Reason.FAILED, String.valueOf(failure.getMessage())))));
  }

  private static RemovedPartitions both(RemovedPartitions first, RemovedPartitions second) {
    return new RemovedPartitions(
        both(first.removed(), second.removed()),
        first.rows() + second.rows(),
        both(first.postponed(), second.postponed()));
  }

  private RemovedPartitions removeArchive(Retention retention, Instant now, long deadline) {
    Cutoffs cutoffs = new Cutoffs(now.minus(retention.archive()), ownCutoffs(readCutoffs));
    RemovedPartitions removed =
        remover.remove(PartitionedTable.ARCHIVE, cutoffs.oldest(), deadline);
    return both(removed, step(PartitionedTable.ARCHIVE, () -> pruneArchive(cutoffs, deadline)));
  }

  private RemovedPartitions pruneArchive(Cutoffs cutoffs, long deadline) {
    Instant oldest = cutoffs.oldest();
    List<Partition> kept =
        remover.find(PartitionedTable.ARCHIVE).stream()
            .filter(found -> found.state() == State.ATTACHED)
            .map(FoundPartition::partition)
            .filter(partition -> partition.end().isAfter(oldest))
            .toList();
    return archivePruner.prune(kept, cutoffs, deadline);
  }

  @Override
  public Pruned prune() {
    long deadline = System.nanoTime() + LONGEST_CALL;
    List<String> failed = new ArrayList<>();
    AtomicLong keys = new AtomicLong();
    AtomicLong jobs = new AtomicLong();
    AtomicBoolean unfinished = new AtomicBoolean();
    MaintenanceSteps.prune(
        "Silent workers", failed, () -> removeSilentWorkers.accept(WORKERS_KEPT));
    MaintenanceSteps.prune("Minutes", failed, this::pruneMinutes);
    MaintenanceSteps.prune("Keys", failed, () -> prune(pruneKeys, deadline, keys, unfinished));
    MaintenanceSteps.prune(
        "Rates", failed, () -> prune(pruneRateUses, deadline, new AtomicLong(), unfinished));
    MaintenanceSteps.prune(
        "Stacks", failed, () -> prune(pruneStacks, deadline, new AtomicLong(), unfinished));
    MaintenanceSteps.prune(
        "Dead jobs", failed, () -> pruneDead(deadline, jobs, unfinished, failed));
    return new Pruned(keys.get(), jobs.get(), unfinished.get(), failed);
  }

  private void pruneMinutes() {
    transactions.run(pruneMinutes, MinutesQuery.KEPT);
    transactions.run(pruneDepths, MinutesQuery.KEPT);
  }

  private void prune(
      Statement<Integer, Integer> statement,
      long deadline,
      AtomicLong rows,
      AtomicBoolean unfinished) {
    ShrinkingLimit limit = new ShrinkingLimit(KEYS);
    while (true) {
      int pruned = limit.run(size -> transactions.run(statement, size).get(0));
      if (pruned == 0) {
        return;
      }
      rows.addAndGet(pruned);
      if (System.nanoTime() - deadline > 0) {
        unfinished.set(true);
        return;
      }
    }
  }

  private void pruneDead(
      long deadline, AtomicLong jobs, AtomicBoolean unfinished, List<String> failed) {
    Pruned pruned = deadJobs.prune(ownCutoffs(readDeadCutoffs), creator.now(), deadline);
    jobs.set(pruned.jobs());
    failed.addAll(pruned.failed());
    if (pruned.unfinished()) {
      unfinished.set(true);
    }
  }

  @Override
  public ContinuedOperations continueOperations() {
    return operations.get();
  }

  private Map<String, Instant> ownCutoffs(
      Statement<NoRequest, Map.Entry<String, Instant>> statement) {
    return transactions.run(statement, NoRequest.NONE).stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }
}
