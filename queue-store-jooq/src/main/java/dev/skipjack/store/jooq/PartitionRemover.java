package dev.skipjack.store.jooq;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.store.jooq.FindRunningStatement.Page;
import dev.skipjack.store.jooq.FoundPartition.State;
import dev.skipjack.store.jooq.spi.OwnTransactions;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Removes whole partitions, step by step; a step that fails is where the next call goes on. */
final class PartitionRemover {

  private static final int BATCH = 20_000;

  private final OwnTransactions transactions;
  private final Statements statements;
  private final PartitionDdl ddl;

  /**
   * Up to which execution a partition that may go was found free of running attempts. Attempts that
   * ended stay so and new ones have greater ids, so nothing needs to be read twice.
   */
  private final Map<String, Long> checkedTo = new HashMap<>();

  PartitionRemover(OwnTransactions transactions, Statements statements, PartitionDdl ddl) {
    this.transactions = transactions;
    this.statements = statements;
    this.ddl = ddl;
  }

  /** Those that are or were part of the table, the oldest first. */
  List<FoundPartition> find(PartitionedTable table) {
    return transactions
        .run(
            statements.findPartitions,
            FindPartitionsStatement.arguments(table),
            row -> FindPartitionsStatement.read(table, row))
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  /**
   * Removes the partitions that end at {@code cutoff} or before.
   *
   * @param deadline of {@link System#nanoTime()}, for checking rows
   */
  void remove(
      PartitionedTable table,
      Instant cutoff,
      long deadline,
      List<String> removed,
      List<Postponed> postponed) {
    // While one is pending no other can be detached, so that one comes first.
    List<FoundPartition> found =
        find(table).stream()
            .sorted(Comparator.comparing(partition -> partition.state() != State.PENDING))
            .toList();
    boolean blocked = false;
    for (FoundPartition candidate : found) {
      Partition partition = candidate.partition();
      boolean isOver = !partition.end().isAfter(cutoff);
      if (!isOver && candidate.state() != State.PENDING) {
        continue;
      }
      try {
        Optional<Reason> reason =
            candidate.state() == State.ATTACHED
                ? detach(partition, blocked, deadline)
                : Optional.empty();
        if (reason.isPresent()) {
          postponed.add(new Postponed(partition.name(), reason.get()));
          continue;
        }
        if (candidate.state() == State.PENDING) {
          ddl.finish(partition);
        }
        // One that a person began to detach is finished, or nothing else could go; it is not ours
        // to drop.
        if (isOver && (candidate.state() == State.ATTACHED || candidate.marked())) {
          ddl.drop(partition);
          removed.add(partition.name());
          checkedTo.remove(partition.name());
        }
      } catch (StoreException failure) {
        blocked |= candidate.state() != State.DETACHED;
        postponed.add(PartitionErrors.whileRemoving(partition, failure));
      }
    }
  }

  /** Answers why it was not detached; empty when it was. */
  private Optional<Reason> detach(Partition partition, boolean blocked, long deadline) {
    if (blocked) {
      return Optional.of(Reason.BUSY);
    }
    if (partition.of() == PartitionedTable.AUDIT) {
      Optional<Reason> reason = keeps(partition, deadline);
      if (reason.isPresent()) {
        return reason;
      }
    }
    ddl.mark(partition);
    ddl.detach(partition);
    return Optional.empty();
  }

  /** Why the partition has to stay although it is over. */
  private Optional<Reason> keeps(Partition partition, long deadline) {
    Batches batches = new Batches(BATCH);
    while (true) {
      long after = checkedTo.getOrDefault(partition.name(), Long.MIN_VALUE);
      Page page = batches.run(size -> page(partition, after, size));
      if (page.running()) {
        return Optional.of(Reason.RUNNING);
      }
      if (page.read() == 0) {
        return Optional.empty();
      }
      checkedTo.put(partition.name(), page.last());
      if (System.nanoTime() - deadline > 0) {
        return Optional.of(Reason.UNFINISHED);
      }
    }
  }

  private Page page(Partition partition, long after, int size) {
    return transactions
        .run(
            statements.findRunning,
            FindRunningStatement.arguments(partition, after, size),
            FindRunningStatement::read)
        .get(0);
  }
}
