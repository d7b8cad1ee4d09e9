package dev.skipjack.store.jooq;

import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.store.jooq.spi.HotStatement;
import dev.skipjack.store.jooq.spi.KeptTransactions;
import java.time.Duration;
import java.util.List;

/** Heartbeats and reports on a connection that is kept. */
final class JooqLeaseKeeper implements LeaseKeeper {

  private final KeptTransactions transactions;
  private final HotStatement heartbeat;
  private final HotStatement progress;

  JooqLeaseKeeper(KeptTransactions transactions, Statements statements) {
    this.transactions = transactions;
    this.heartbeat = statements.heartbeat;
    this.progress = statements.progress;
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
        : transactions.run(progress, ProgressStatement.arguments(reports), AttemptCtes::read);
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
