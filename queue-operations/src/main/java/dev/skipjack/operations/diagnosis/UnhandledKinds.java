package dev.skipjack.operations.diagnosis;

import dev.skipjack.api.spi.UnhandledKind;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import java.util.List;
import org.jooq.DSLContext;

/**
 * Finds the kinds that a worker does not handle, with the statements of the doctor. Safe for any
 * number of threads.
 */
public final class UnhandledKinds {

  private final OwnTransactions transactions;
  private final Statement<NoRequest, DueKindsStatement.Facts> dueKinds;
  private final Statement<NoRequest, LivingWorkersStatement.Facts> workers;

  /**
   * Creates an instance. Opens no connection.
   *
   * @param transactions runs the statements
   * @param dialect the context that renders
   */
  public UnhandledKinds(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions;
    this.dueKinds = Statement.lazily(() -> DueKindsStatement.of(dialect.get()));
    this.workers = Statement.lazily(() -> LivingWorkersStatement.of(dialect.get()));
  }

  /**
   * Implements {@link dev.skipjack.api.spi.WorkerRegistry#unhandledKinds}.
   *
   * @param worker the row of the worker
   * @return the kinds of due jobs in its queues that this worker does not handle
   */
  public List<UnhandledKind> of(WorkerRow worker) {
    List<DueKindsStatement.Facts> unhandled =
        transactions.run(dueKinds).stream()
            .filter(due -> worker.queues().contains(due.queue()))
            .filter(due -> !worker.kinds().contains(due.kind()))
            .toList();
    if (unhandled.isEmpty()) {
      return List.of();
    }
    List<LivingWorkersStatement.Facts> living = transactions.run(workers);
    return unhandled.stream()
        .map(
            due ->
                new UnhandledKind(
                    due.queue(),
                    due.kind(),
                    living.stream().anyMatch(each -> each.runs(due.queue(), due.kind()))))
        .toList();
  }
}
