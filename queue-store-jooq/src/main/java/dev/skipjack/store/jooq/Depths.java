package dev.skipjack.store.jooq;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jooq.DSLContext;

/** Counts the live jobs of the queues once a minute, for charts. */
final class Depths {

  /** The number of queues whose depth is kept. */
  private static final int QUEUES = 200;

  private final OwnTransactions transactions;
  private final Supplier<List<JobCount>> counts;
  private final Statement<List<AddDepthsStatement.Depth>, Integer> add;

  /** Whether the last count of this process found no job, so that no queue needs a row of zeros. */
  private volatile boolean empty;

  Depths(OwnTransactions transactions, Lazy<DSLContext> dialect, Supplier<List<JobCount>> counts) {
    this.transactions = transactions;
    this.counts = counts;
    this.add = Statement.lazily(() -> AddDepthsStatement.of(dialect.get()));
  }

  void add() {
    List<AddDepthsStatement.Depth> depths = of(counts.get());
    boolean stillEmpty = empty && depths.isEmpty();
    if (!stillEmpty) {
      transactions.run(add, depths);
      empty = depths.isEmpty();
    }
  }

  /** Sums the counts of each queue. If there are too many queues, keeps the largest ones. */
  static List<AddDepthsStatement.Depth> of(List<JobCount> counts) {
    Map<String, Map<JobStatus, Long>> queues = new TreeMap<>();
    counts.stream()
        .filter(count -> !count.isOthers())
        .forEach(
            count ->
                queues
                    .computeIfAbsent(count.queue(), none -> new EnumMap<>(JobStatus.class))
                    .merge(count.status(), count.jobs(), Long::sum));
    return queues.entrySet().stream()
        .map(
            queue ->
                new AddDepthsStatement.Depth(
                    queue.getKey(),
                    queue.getValue().getOrDefault(JobStatus.PENDING, 0L),
                    queue.getValue().getOrDefault(JobStatus.RUNNING, 0L),
                    queue.getValue().getOrDefault(JobStatus.WAITING, 0L),
                    queue.getValue().getOrDefault(JobStatus.DEAD, 0L)))
        .sorted(Comparator.comparingLong(Depths::jobs).reversed())
        .limit(QUEUES)
        .toList();
  }

  private static long jobs(AddDepthsStatement.Depth depth) {
    return depth.pending() + depth.running() + depth.waiting() + depth.dead();
  }
}
