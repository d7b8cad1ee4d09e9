package dev.skipjack.store.jooq;

import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.store.jooq.spi.HotStatement;
import dev.skipjack.store.jooq.spi.KeptTransactions;
import java.time.Duration;
import java.util.List;

/** Heartbeats on a connection that is kept. */
final class JooqLeaseKeeper implements LeaseKeeper {

  private final KeptTransactions transactions;
  private final HotStatement heartbeat;

  JooqLeaseKeeper(KeptTransactions transactions, HotStatement heartbeat) {
    this.transactions = transactions;
    this.heartbeat = heartbeat;
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
  public void close() {
    transactions.close();
  }
}
