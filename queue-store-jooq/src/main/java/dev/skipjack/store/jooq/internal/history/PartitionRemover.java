package dev.skipjack.store.jooq.internal.history;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.api.spi.RemovedPartitions;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.ShrinkingLimit;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.history.FindPartitionsStatement.Candidate;
import dev.skipjack.store.jooq.internal.history.FindRunningInPartitionStatement.Page;
import dev.skipjack.store.jooq.internal.history.FindRunningInPartitionStatement.Request;
import dev.skipjack.store.jooq.internal.history.FoundPartition.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jooq.DSLContext;

/**
 * Removes whole partitions, step by step. After a failure the next call repeats the step that
 * failed.
 */
final class PartitionRemover {

  private static final int BATCH = 20_000;

  private final OwnTransactions transactions;
  private final Statement<PartitionedTable, Candidate> findPartitions;
  private final Statement<Request, Page> findRunning;
  private final PartitionDdl ddl;

  /**
   * For each partition, the execution up to which no attempt is running. Ended attempts stay ended
   * and new ones have greater ids, so no row needs to be read twice.
   */
  private final Map<String, Long> checkedTo = new HashMap<>();

  PartitionRemover(
      OwnTransactions transactions, Lazy<DSLContext> dialect, String schema, PartitionDdl ddl) {
    this.transactions = transactions;
    this.findPartitions = Statement.lazily(() -> FindPartitionsStatement.of(dialect.get(), schema));
    this.findRunning = Statement.lazily(() -> FindRunningInPartitionStatement.of(dialect.get()));
    this.ddl = ddl;
  }

  /** Returns the current and former partitions of the table, oldest first. */
  List<FoundPartition> find(PartitionedTable table) {
    return transactions.run(findPartitions, table).stream()
        .map(candidate -> candidate.of(table))
        .flatMap(Optional::stream)
        .toList();
  }

  /**
   * Removes the partitions that end at or before {@code cutoff}.
   *
   * @param deadline a value of {@link System#nanoTime()} until which rows are checked
   */
  RemovedPartitions remove(PartitionedTable table, Instant cutoff, long deadline) {
    List<String> removed = new ArrayList<>();
    List<Postponed> postponed = new ArrayList<>();
    // While a detach is pending, no other partition can be detached, so it is finished first.
    List<FoundPartition> found =
        find(table).stream()
            .sorted(Comparator.comparing(partition -> partition.state() != State.PENDING))
            .toList();
    boolean blocked = false;
    for (FoundPartition candidate : found) {
      Partition partition = candidate.partition();
      boolean hasExpired = !partition.end().isAfter(cutoff);
      boolean isAttached = candidate.state() == State.ATTACHED;
      boolean isTakenOut = false;
      try {
        Optional<Reason> kept =
            isAttached && hasExpired ? keeps(partition, blocked, deadline) : Optional.empty();
        if (isAttached && candidate.marked() && (!hasExpired || kept.isPresent())) {
          // marked by an interrupted call, or before the retention was raised
          ddl.unmark(partition);
        }
        if (kept.isPresent()) {
          postponed.add(new Postponed(partition.name(), kept.get()));
          continue;
        }
        if (!hasExpired && candidate.state() != State.PENDING) {
          continue;
        }
        if (isAttached) {
          ddl.mark(partition);
        }
        isTakenOut = candidate.state() != State.DETACHED;
        if (isTakenOut) {
          takeOut(candidate);
          isTakenOut = false;
        }
        // An operator's detach is finished, because it blocks all others, but its table is kept.
        if (hasExpired && (isAttached || candidate.marked())) {
          drop(partition);
          removed.add(partition.name());
          checkedTo.remove(partition.name());
        }
      } catch (StoreException failure) {
        Postponed one = PartitionErrors.whileRemoving(partition, failure);
        postponed.add(one);
        // The detach is pending, or another session has locked the parent. Further detaches would
        // wait as long.
        blocked |= isTakenOut && one.reason() == Reason.BUSY;
      } catch (RuntimeException failure) { // what was removed before must still be reported
        postponed.add(
            new Postponed(partition.name(), Reason.FAILED, String.valueOf(failure.getMessage())));
      }
    }
    return new RemovedPartitions(removed, 0, postponed);
  }

  private void takeOut(FoundPartition candidate) {
    Partition partition = candidate.partition();
    if (candidate.state() == State.PENDING) {
      ddl.finish(partition);
      return;
    }
    try {
      ddl.detach(partition);
    } catch (StoreException failure) {
      correctMark(partition, failure);
      throw failure;
    }
  }

  /**
   * Corrects the mark after a failed detach. If the detach has not begun, the table is still a
   * partition and loses the mark. If another session has detached the table, the table loses the
   * mark too, because an operator may want to keep it. If that session is another worker's
   * maintenance, it drops the table anyway.
   */
  private void correctMark(Partition partition, StoreException failure) {
    try {
      Optional<State> state =
          find(partition.of()).stream()
              .filter(found -> found.partition().equals(partition))
              .map(FoundPartition::state)
              .findFirst();
      if (state.isEmpty()) {
        return; // another worker dropped it, or an operator removed the mark
      }
      if (state.get() == State.ATTACHED || PartitionErrors.isDetachedByAnother(failure)) {
        ddl.unmark(partition);
      } else {
        ddl.markAgain(partition); // another worker may have removed the mark
      }
    } catch (StoreException again) {
      failure.addSuppressed(again); // the next call finds it attached and marked
    }
  }

  private void drop(Partition partition) {
    try {
      ddl.drop(partition);
    } catch (StoreException failure) {
      try {
        ddl.markAgain(partition); // as above: the next call must find the detached table
      } catch (StoreException again) {
        failure.addSuppressed(again);
      }
      throw failure;
    }
  }

  /** Returns the reason why an expired partition cannot be detached now, or empty if it can. */
  private Optional<Reason> keeps(Partition partition, boolean blocked, long deadline) {
    if (blocked) {
      return Optional.of(Reason.BUSY);
    }
    return partition.of().equals(PartitionedTable.AUDIT)
        ? keeps(partition, deadline)
        : Optional.empty();
  }

  /**
   * Returns the reason why the partition must be kept although it has expired, or empty if there is
   * none.
   */
  private Optional<Reason> keeps(Partition partition, long deadline) {
    ShrinkingLimit limit = new ShrinkingLimit(BATCH);
    while (true) {
      long after = checkedTo.getOrDefault(partition.name(), Long.MIN_VALUE);
      Page page = limit.run(size -> page(new Request(partition, after, size)));
      if (page.running()) {
        return Optional.of(Reason.RUNNING);
      }
      if (page.last().isEmpty()) {
        return Optional.empty();
      }
      checkedTo.put(partition.name(), page.last().getAsLong());
      if (System.nanoTime() - deadline > 0) {
        return Optional.of(Reason.UNFINISHED);
      }
    }
  }

  private Page page(Request request) {
    return transactions.run(findRunning, request).get(0);
  }
}
