package dev.skipjack.store.jooq;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.WorkerInstructions;
import dev.skipjack.api.spi.WorkerRegistry;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import java.time.Duration;

/** The workers' rows in PostgreSQL. */
final class JooqWorkerRegistry implements WorkerRegistry {

  private final OwnTransactions transactions;
  private final Statements statements;

  JooqWorkerRegistry(OwnTransactions transactions, Statements statements) {
    this.transactions = transactions;
    this.statements = statements;
  }

  @Override
  public WorkerInstructions announce(WorkerRow row) {
    return AsciiFallback.run(
            AnnounceStatement.arguments(row),
            arguments -> transactions.run(statements.announce, arguments, AnnounceStatement::read))
        .get(0);
  }

  @Override
  public void remove(WorkerId id) {
    transactions.run(
        statements.removeWorker, RemoveWorkersStatement.argumentsForOne(id), row -> row.getLong(1));
  }

  /** Removes the rows of workers that have sent no heartbeat for {@code silence}. */
  void removeSilent(Duration silence) {
    transactions.run(
        statements.removeSilentWorkers,
        RemoveWorkersStatement.argumentsForSilent(silence),
        row -> row.getLong(1));
  }
}
