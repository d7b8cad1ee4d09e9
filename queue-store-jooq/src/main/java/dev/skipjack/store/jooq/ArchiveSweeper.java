package dev.skipjack.store.jooq;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.store.jooq.Cutoffs.Goners;
import dev.skipjack.store.jooq.SweepArchiveStatement.Request;
import dev.skipjack.store.jooq.SweepArchiveStatement.Swept;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import dev.skipjack.store.jooq.internal.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jooq.DSLContext;

/**
 * Deletes what is over in partitions that stay because some queue keeps its jobs for longer. Walks
 * each partition once for each change in what is over; the one that a retention cuts through, at
 * each call.
 */
final class ArchiveSweeper {

  private static final int BATCH = 5_000;

  private final OwnTransactions transactions;
  private final Statement<Request, Swept> sweepArchive;
  private final Map<String, Walk> walks = new HashMap<>();

  /**
   * How far a partition was walked.
   *
   * @param goners what was over at the time
   * @param after everything up to this id was swept
   */
  private record Walk(Goners goners, long after) {

    static final long NOTHING = Long.MIN_VALUE;
    static final long ALL = Long.MAX_VALUE;
  }

  ArchiveSweeper(OwnTransactions transactions, DSLContext dialect) {
    this.transactions = transactions;
    this.sweepArchive = SweepArchiveStatement.of(dialect);
  }

  /**
   * Sweeps these partitions.
   *
   * @param deadline of {@link System#nanoTime()}
   * @return how many jobs were deleted
   */
  long sweep(
      List<Partition> partitions, Cutoffs cutoffs, long deadline, List<Postponed> postponed) {
    walks.keySet().retainAll(partitions.stream().map(Partition::name).collect(Collectors.toSet()));
    Batches batches = new Batches(BATCH);
    long deleted = 0;
    for (Partition partition : partitions) {
      Goners goners = cutoffs.goners(partition);
      boolean isCut = cutoffs.cut(partition);
      Walk walk = walks.get(partition.name());
      if (walk == null || !walk.goners().equals(goners) || (isCut && walk.after() == Walk.ALL)) {
        walk = new Walk(goners, isCut || goners.any() ? Walk.NOTHING : Walk.ALL);
      }
      try {
        while (walk.after() < Walk.ALL && System.nanoTime() - deadline < 0) {
          long after = walk.after();
          Swept swept = batches.run(size -> sweep(new Request(partition, after, size, cutoffs)));
          deleted += swept.deleted();
          walk = new Walk(goners, swept.last().orElse(Walk.ALL));
        }
        if (walk.after() < Walk.ALL) {
          postponed.add(new Postponed(partition.name(), Reason.UNFINISHED));
        }
      } catch (StoreException failure) {
        postponed.add(PartitionErrors.whileRemoving(partition, failure));
      }
      walks.put(partition.name(), walk);
    }
    return deleted;
  }

  private Swept sweep(Request request) {
    return transactions.run(sweepArchive, request).get(0);
  }
}
