package dev.skipjack.store.jooq;

import dev.skipjack.api.DeadJobs;
import dev.skipjack.api.JobId;
import dev.skipjack.api.PruneResult;
import dev.skipjack.store.jooq.DeadJobsStatement.Position;
import dev.skipjack.store.jooq.spi.OwnTransactions;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/** Walks dead jobs in bounded batches, and deletes them. Safe for any number of threads. */
final class DeadLetters {

  private final OwnTransactions transactions;
  private final AdminStatements statements;

  DeadLetters(OwnTransactions transactions, AdminStatements statements) {
    this.transactions = transactions;
    this.statements = statements;
  }

  /** As {@link dev.skipjack.api.QueueAdmin#prune(List)}. */
  List<PruneResult> prune(List<JobId> jobs) {
    return JobBatches.run(
        jobs,
        batch ->
            transactions.run(
                statements.prune,
                JobRows.arguments(batch),
                row -> PruneResult.valueOf(row.getString(1))),
        answer -> answer == PruneResult.BUSY);
  }

  /** How many of these jobs were deleted. */
  int pruneAndCount(List<JobId> jobs) {
    return (int) prune(jobs).stream().filter(answer -> answer == PruneResult.PRUNED).count();
  }

  /**
   * Meets each dead job once, also those that stay dead or die again meanwhile.
   *
   * @param age how long ago they died at least
   * @param work answers whether to go on
   * @return whether all were met
   */
  boolean forEachBatch(DeadJobs which, Duration age, Predicate<List<JobId>> work) {
    Position after = Position.START;
    while (true) {
      List<Position> batch =
          transactions.run(
              statements.deadJobs(which),
              DeadJobsStatement.arguments(which, age, after, JobBatches.LARGEST),
              DeadJobsStatement::read);
      if (batch.isEmpty()) {
        return true;
      }
      if (!work.test(batch.stream().map(Position::job).toList())) {
        return false;
      }
      after = batch.get(batch.size() - 1);
    }
  }
}
