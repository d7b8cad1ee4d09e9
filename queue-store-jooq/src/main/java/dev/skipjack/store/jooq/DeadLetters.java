package dev.skipjack.store.jooq;

import dev.skipjack.api.DeadJobs;
import dev.skipjack.api.JobId;
import dev.skipjack.api.PruneResult;
import dev.skipjack.store.jooq.DeadJobsStatement.Position;
import dev.skipjack.store.jooq.internal.sql.Batches;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Walks dead jobs in bounded batches, and deletes them. Safe for any number of threads. */
final class DeadLetters {

  private static final int PAGE = 2_000;

  private final OwnTransactions transactions;
  private final OwnTransactions looks;
  private final AdminStatements statements;

  DeadLetters(OwnTransactions transactions, AdminStatements statements) {
    this.transactions = transactions;
    this.looks = transactions.readOnly();
    this.statements = statements;
  }

  /** As {@link dev.skipjack.api.QueueAdmin#prune(List)}. */
  List<PruneResult> prune(List<JobId> jobs) {
    return JobBatches.run(jobs, this::pruneBatch, answer -> answer == PruneResult.BUSY);
  }

  /** Deletes what nobody holds; answers how many. */
  int pruneFree(List<JobId> jobs) {
    return count(JobBatches.run(jobs, this::pruneBatch, answer -> false));
  }

  /** As {@link #prune}; answers how many were deleted. */
  int pruneAndCount(List<JobId> jobs) {
    return count(prune(jobs));
  }

  private static int count(List<PruneResult> answers) {
    return (int) answers.stream().filter(answer -> answer == PruneResult.PRUNED).count();
  }

  private List<PruneResult> pruneBatch(List<JobId> batch) {
    return transactions.run(
        statements.prune, JobRows.arguments(batch), row -> PruneResult.valueOf(row.getString(1)));
  }

  /**
   * Meets each dead job once, also those that stay dead or die again meanwhile.
   *
   * @param age how long ago they died at least
   * @param work gets up to some thousand jobs, or none; answers whether to go on
   * @return whether all were met
   */
  boolean forEachBatch(DeadJobs which, Duration age, Predicate<List<JobId>> work) {
    return walk(which, Position.before(which), age, work).isEmpty();
  }

  /**
   * As {@link #forEachBatch}, from a position on.
   *
   * @return the last job met, to go on behind it; empty if all were met
   */
  Optional<Position> walk(
      DeadJobs which, Position first, Duration age, Predicate<List<JobId>> work) {
    Position after = first;
    Batches pages = new Batches(PAGE);
    while (true) {
      Position last = after;
      List<Position> batch =
          pages.run(
              size ->
                  looks.run(
                      statements.deadJobs(which),
                      DeadJobsStatement.arguments(which, age, last, size),
                      DeadJobsStatement::read));
      if (batch.isEmpty()) {
        return Optional.empty();
      }
      List<JobId> meant = batch.stream().filter(Position::fits).map(Position::job).toList();
      after = batch.get(batch.size() - 1);
      if (!work.test(meant)) {
        return Optional.of(after);
      }
    }
  }
}
