package dev.skipjack.steps;

import dev.skipjack.api.QueueAccess;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import dev.skipjack.steps.internal.StepUse;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import dev.skipjack.store.jooq.internal.steps.StoreParts;

/**
 * The statements of durable steps, rendered once for each store. Safe for any number of threads.
 *
 * @param transactions runs them
 * @param jobFactory creates the jobs that undo steps
 * @param use is read by the sweep of this process
 */
record StepStatements(
    OwnTransactions transactions,
    JobFactory jobFactory,
    StepUse use,
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
      StepUse use = StepUse.of(store);
      return store.part(StepStatements.class, unused -> new StepStatements(store, use));
    }
    throw new IllegalStateException(
        "Durable steps need a worker on a JobQueue, but this one is on %s."
            .formatted(queue.getClass().getName()));
  }

  private StepStatements(StoreParts store, StepUse use) {
    this(
        // A transaction of runIn in an attempt that has lost the job may hold the name of a memo.
        store.transactions().bounded(),
        store.jobFactory(),
        use,
        Statement.lazily(() -> MemoStatement.of(store.dialect().get())),
        Statement.lazily(() -> MemoStatement.ofSleep(store.dialect().get())),
        Statement.lazily(() -> ReadMemosStatement.of(store.dialect().get())),
        Statement.lazily(() -> WaitStatement.of(store.dialect().get())),
        Statement.lazily(() -> TakeStatement.of(store.dialect().get())),
        new Joins(store.transactions(), store.dialect()));
  }
}
