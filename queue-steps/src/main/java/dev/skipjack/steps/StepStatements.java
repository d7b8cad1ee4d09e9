package dev.skipjack.steps;

import dev.skipjack.api.QueueAccess;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import dev.skipjack.store.jooq.internal.steps.StoreParts;

/**
 * The statements of durable steps, rendered once for each store. Safe for any number of threads.
 *
 * @param transactions runs them
 * @param jobFactory creates the jobs that undo steps
 */
record StepStatements(
    OwnTransactions transactions,
    JobFactory jobFactory,
    Statement<MemoStatement.Request, MemoStatement.Recorded> memo,
    Statement<MemoStatement.Request, MemoStatement.Recorded> sleep,
    Statement<Long, ReadMemosStatement.Found> readMemos,
    Statement<WaitStatement.Request, Long> openWait,
    Statement<TakeStatement.Request, TakeStatement.Look> take,
    Joins joins) {

  /**
   * Returns the statements for the store of a queue.
   *
   * @throws IllegalStateException if the store is not that of a {@code JobQueue}
   */
  static StepStatements of(QueueAccess queue) {
    if (queue.store() instanceof StoreParts store) {
      return store.part(StepStatements.class, StepStatements::new);
    }
    throw new IllegalStateException(
        "Durable steps need a worker on a JobQueue, but this one is on %s."
            .formatted(queue.getClass().getName()));
  }

  private StepStatements(StoreParts store) {
    this(
        // A transaction of runIn in an attempt that has lost the job may hold the name of a memo.
        store.transactions().bounded(),
        store.jobFactory(),
        Statement.lazily(() -> MemoStatement.of(store.dialect().get())),
        Statement.lazily(() -> MemoStatement.ofSleep(store.dialect().get())),
        Statement.lazily(() -> ReadMemosStatement.of(store.dialect().get())),
        Statement.lazily(() -> WaitStatement.of(store.dialect().get())),
        Statement.lazily(() -> TakeStatement.of(store.dialect().get())),
        new Joins(store.transactions(), store.dialect()));
  }
}
