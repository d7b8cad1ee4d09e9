package dev.skipjack.store.jooq;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.store.jooq.internal.sql.KeptTransactions;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Heartbeats and reports on a connection that is kept. */
final class JooqLeaseKeeper implements LeaseKeeper {

  private final KeptTransactions transactions;
  private final StatementText heartbeat;
  private final StatementText progress;
  private final StatementText cancelRequested;

  JooqLeaseKeeper(KeptTransactions transactions, Statements statements) {
    this.transactions = transactions;
    this.heartbeat = statements.heartbeat;
    this.progress = statements.progress;
    this.cancelRequested = statements.cancelRequested;
  }

  @Override
  public List<Renewal> heartbeat(List<Execution> executions, Duration lease) {
    ClaimRequest.requireLease(lease);
    return executions.isEmpty()
        ? List.of()
        : transactions.run(
            heartbeat, HeartbeatStatement.arguments(executions, lease), HeartbeatStatement::read);
  }

  @Override
  public List<Verdict> progress(List<Progress> reports) {
    return reports.isEmpty()
        ? List.of()
        : AsciiFallback.run(
            ProgressStatement.arguments(reports),
            arguments -> transactions.run(progress, arguments, AttemptCtes::read));
  }

  @Override
  public Set<ExecutionId> cancelRequested(List<Execution> executions) {
    return executions.isEmpty()
        ? Set.of()
        : Set.copyOf(
            transactions.run(
                cancelRequested,
                CancelRequestedStatement.arguments(executions),
                CancelRequestedStatement::read));
  }

  @Override
  public void recheck() {
    transactions.recheck();
  }

  @Override
  public void reserve() {
    transactions.reserve();
  }

  @Override
  public void close() {
    transactions.close();
  }
}
