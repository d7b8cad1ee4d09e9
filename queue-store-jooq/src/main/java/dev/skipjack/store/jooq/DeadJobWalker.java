package dev.skipjack.store.jooq;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.ShrinkingLimit;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.WalkDeadJobsStatement.Request;
import dev.skipjack.store.jooq.WalkDeadJobsStatement.WalkPosition;
import dev.skipjack.store.jooq.internal.history.PartitionHealing;
import dev.skipjack.store.jooq.internal.ordering.KeyedResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jooq.DSLContext;

/** Reads dead jobs in bounded batches, and deletes them. Safe for any number of threads. */
final class DeadJobWalker {

  private static final int PAGE = 2_000;

  private final OwnTransactions transactions;
  private final OwnTransactions reads;
  private final PartitionHealing healing;
  private final Successors successors;
  private final Statement<List<JobId>, KeyedResult<PruneResult>> prune;
  private final Statement<Request, WalkPosition> walkAll;
  private final Statement<Request, WalkPosition> walkQueue;
  private final Statement<Request, WalkPosition> walkKind;
  private final Statement<Request, WalkPosition> walkQueueAndKind;

  DeadJobWalker(
      OwnTransactions transactions,
      PartitionHealing healing,
      Lazy<DSLContext> dialect,
      Successors successors) {
    this.healing = healing;
    this.successors = successors;
    this.transactions = transactions;
    this.reads = transactions.readOnly();
    this.prune = Statement.lazily(() -> PruneStatement.of(dialect.get()));
    this.walkAll = Statement.lazily(() -> WalkDeadJobsStatement.of(dialect.get(), false, false));
    this.walkQueue = Statement.lazily(() -> WalkDeadJobsStatement.of(dialect.get(), true, false));
    this.walkKind = Statement.lazily(() -> WalkDeadJobsStatement.of(dialect.get(), false, true));
    this.walkQueueAndKind =
        Statement.lazily(() -> WalkDeadJobsStatement.of(dialect.get(), true, true));
  }

  /** Deletes dead jobs as {@link dev.skipjack.api.operations.QueueAdmin#prune(List)} does. */
  List<PruneResult> prune(List<JobId> jobs) {
    return transactions.areCallers()
        ? BatchedCommand.once(jobs, this::pruneBatch)
        : BatchedCommand.run(jobs, this::pruneBatch, result -> result == PruneResult.BUSY);
  }

  /**
   * Deletes those jobs that no other transaction has locked. Returns the number of deleted jobs.
   */
  int pruneFree(List<JobId> jobs) {
    return count(BatchedCommand.run(jobs, this::pruneBatch, result -> false));
  }

  /** Deletes dead jobs like {@link #prune}. Returns the number of deleted jobs. */
  int pruneAndCount(List<JobId> jobs) {
    return count(prune(jobs));
  }

  private static int count(List<PruneResult> results) {
    return (int) results.stream().filter(result -> result == PruneResult.PRUNED).count();
  }

  private List<PruneResult> pruneBatch(List<JobId> batch) {
    return successors.passOn(healing.run(() -> transactions.run(prune, batch)));
  }

  private Statement<Request, WalkPosition> walk(DeadJobs which) {
    if (which.queue().isPresent()) {
      return which.kind().isPresent() ? walkQueueAndKind : walkQueue;
    }
    return which.kind().isPresent() ? walkKind : walkAll;
  }

  /**
   * Visits each dead job once, even if it stays dead or becomes dead again in the meantime.
   *
   * @param which selects the jobs
   * @param age how long the jobs must have been dead
   * @param work processes a batch, which may be empty and has at most 2,000 jobs, and returns
   *     whether to continue
   * @return whether all jobs were visited
   */
  boolean forEachBatch(DeadJobs which, Duration age, Predicate<List<JobId>> work) {
    return walk(which, WalkPosition.before(which), age, work).isEmpty();
  }

  /**
   * Visits dead jobs like {@link #forEachBatch}, beginning after a position.
   *
   * @return the position of the last job visited, or empty if all jobs were visited
   */
  Optional<WalkPosition> walk(
      DeadJobs which, WalkPosition first, Duration age, Predicate<List<JobId>> work) {
    WalkPosition after = first;
    ShrinkingLimit limit = new ShrinkingLimit(PAGE);
    while (true) {
      WalkPosition last = after;
      List<WalkPosition> page =
          limit.run(size -> reads.run(walk(which), new Request(which, age, last, size)));
      if (page.isEmpty()) {
        return Optional.empty();
      }
      List<JobId> matching =
          page.stream().filter(WalkPosition::fits).map(WalkPosition::job).toList();
      after = page.get(page.size() - 1);
      if (!work.test(matching)) {
        return Optional.of(after);
      }
    }
  }
}
