package dev.skipjack.store.jooq;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.OwnedJobs;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.WakeUps;
import dev.skipjack.api.spi.WorkerRegistry;
import java.sql.Connection;
import java.util.Optional;

/** Access for a worker whose statements run in a transaction of the caller. */
record TransactionAccess(
    JobQueue queue, JobStore store, OrderedJobs ordered, Optional<OwnedJobs> ownedJobs)
    implements QueueAccess {

  @Override
  public LeaseKeeper leases() {
    throw new UnsupportedOperationException(
        "A worker within a transaction cannot be started, because its threads would use the"
            + " connection at the same time. Call runNext() instead.");
  }

  @Override
  public Maintenance maintenance() {
    return queue.maintenance();
  }

  @Override
  public WorkerRegistry workers() {
    return queue.workers();
  }

  @Override
  public Optional<ScheduleStore> scheduleStore() {
    return queue.scheduleStore();
  }

  @Override
  public Optional<OrderedJobs> orderedJobs() {
    return Optional.of(ordered);
  }

  @Override
  public int schemaVersion() {
    return queue.schemaVersion();
  }

  /** Returns no wake-ups, because no other thread waits for the jobs of the transaction. */
  @Override
  public Optional<WakeUps> wakeUps() {
    return Optional.empty();
  }

  @Override
  public JobEnqueuer in(Connection transaction) {
    return queue.in(transaction);
  }

  @Override
  public PayloadCodec codec() {
    return queue.codec();
  }

  @Override
  public String encodeResult(String kind, Object result) {
    return queue.encodeResult(kind, result);
  }
}
