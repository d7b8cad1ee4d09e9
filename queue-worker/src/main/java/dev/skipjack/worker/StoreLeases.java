package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Renews leases on connections of the pool. */
record StoreLeases(JobStore store) implements LeaseKeeper {

  @Override
  public List<Renewal> heartbeat(List<Execution> executions, Duration lease) {
    return store.heartbeat(executions, lease);
  }

  @Override
  public List<Verdict> progress(List<Progress> reports) {
    return store.progress(reports);
  }

  /**
   * Returns no cancellation requests, because a run in the caller's thread receives them with its
   * renewals. A query each second would take a connection from the pool, which may have only the
   * one that the handler holds.
   */
  @Override
  public Set<ExecutionId> cancelRequested(List<Execution> executions) {
    return Set.of();
  }

  @Override
  public void recheck() {}

  @Override
  public void reserve() {}

  @Override
  public void close() {}
}
