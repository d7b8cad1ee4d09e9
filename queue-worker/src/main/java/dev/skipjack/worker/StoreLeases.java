package dev.skipjack.worker;

import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Verdict;
import java.time.Duration;
import java.util.List;

/** Leases renewed on whatever connection the pool has. */
record StoreLeases(JobStore store) implements LeaseKeeper {

  @Override
  public List<Renewal> heartbeat(List<Execution> executions, Duration lease) {
    return store.heartbeat(executions, lease);
  }

  @Override
  public List<Verdict> progress(List<Progress> reports) {
    return store.progress(reports);
  }

  @Override
  public void reserve() {}

  @Override
  public void close() {}
}
