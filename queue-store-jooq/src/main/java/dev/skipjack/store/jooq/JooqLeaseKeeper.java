package dev.skipjack.store.jooq;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.sql.KeptTransactions;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jooq.DSLContext;

/** Sends heartbeats and progress on a dedicated connection that it keeps open. */
final class JooqLeaseKeeper implements LeaseKeeper {

  private final KeptTransactions transactions;
  private final Statement<HeartbeatStatement.Request, Renewal> heartbeat;
  private final Statement<List<Progress>, Verdict> progress;
  private final Statement<List<Execution>, ExecutionId> cancelRequested;

  JooqLeaseKeeper(KeptTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions;
    this.heartbeat = Statement.lazily(() -> HeartbeatStatement.of(dialect.get()));
    this.progress = Statement.lazily(() -> ProgressStatement.of(dialect.get()));
    this.cancelRequested = Statement.lazily(() -> CancelRequestedStatement.of(dialect.get()));
  }

  @Override
  public List<Renewal> heartbeat(List<Execution> executions, Duration lease) {
    ClaimRequest.requireLease(lease);
    return executions.isEmpty()
        ? List.of()
        : transactions.run(heartbeat, new HeartbeatStatement.Request(executions, lease));
  }

  @Override
  public List<Verdict> progress(List<Progress> reports) {
    return reports.isEmpty() ? List.of() : transactions.run(progress, reports);
  }

  @Override
  public Set<ExecutionId> cancelRequested(List<Execution> executions) {
    return executions.isEmpty()
        ? Set.of()
        : Set.copyOf(transactions.run(cancelRequested, executions));
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
