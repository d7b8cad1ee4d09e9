package dev.skipjack.store.jooq.internal.history;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.api.spi.RemovedPartitions;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.ShrinkingLimit;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.history.Cutoffs.Expired;
import dev.skipjack.store.jooq.internal.history.PruneArchiveStatement.Page;
import dev.skipjack.store.jooq.internal.history.PruneArchiveStatement.Request;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jooq.DSLContext;

/**
 * Deletes expired jobs from partitions that must be kept because of another queue's longer
 * retention. If a cutoff lies inside a partition, the partition is read at each call. Any other
 * partition is read again only after the jobs of more queues in it have expired.
 */
final class ArchivePruner {

  private static final int BATCH = 5_000;

  private final OwnTransactions transactions;
  private final Statement<Request, Page> pruneArchive;
  private final Map<String, Walk> walks = new HashMap<>();

  /**
   * The progress of pruning a partition.
   *
   * @param expired the queues whose jobs had expired when this pass began
   * @param after the id up to which all expired jobs have been deleted
   */
  private record Walk(Expired expired, long after) {

    static final long NOTHING = Long.MIN_VALUE;
    static final long ALL = Long.MAX_VALUE;
  }

  ArchivePruner(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions;
    this.pruneArchive = Statement.lazily(() -> PruneArchiveStatement.of(dialect.get()));
  }

  /**
   * Prunes the given partitions.
   *
   * @param deadline a value of {@link System#nanoTime()}
   * @return the number of deleted jobs, and the partitions that still have expired jobs
   */
  RemovedPartitions prune(List<Partition> partitions, Cutoffs cutoffs, long deadline) {
    List<Postponed> postponed = new ArrayList<>();
    walks.keySet().retainAll(partitions.stream().map(Partition::name).collect(Collectors.toSet()));
    ShrinkingLimit limit = new ShrinkingLimit(BATCH);
    long deleted = 0;
    for (Partition partition : partitions) {
      Expired expired = cutoffs.expired(partition);
      boolean isCut = cutoffs.cut(partition);
      Walk walk = walks.get(partition.name());
      if (walk == null || !walk.expired().equals(expired) || (isCut && walk.after() == Walk.ALL)) {
        walk = new Walk(expired, isCut || expired.any() ? Walk.NOTHING : Walk.ALL);
      }
      try {
        while (walk.after() < Walk.ALL && System.nanoTime() - deadline < 0) {
          long after = walk.after();
          Page page = limit.run(size -> prune(new Request(partition, after, size, cutoffs)));
          deleted += page.deleted();
          walk = new Walk(expired, page.last().orElse(Walk.ALL));
        }
        if (walk.after() < Walk.ALL) {
          postponed.add(new Postponed(partition.name(), Reason.UNFINISHED));
        }
      } catch (StoreException failure) {
        postponed.add(PartitionErrors.whileRemoving(partition, failure));
      }
      walks.put(partition.name(), walk);
    }
    return new RemovedPartitions(List.of(), deleted, postponed);
  }

  private Page prune(Request request) {
    return transactions.run(pruneArchive, request).get(0);
  }
}
