package dev.skipjack.steps.internal;

import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.spi.Sweeper;
import dev.skipjack.store.jooq.internal.steps.StoreParts;
import dev.skipjack.store.jooq.internal.steps.SweepExtension;

/** Adds the sweep of durable steps to the workers of a queue. */
public final class StepSweeps implements SweepExtension {

  /** Creates an instance; called by the service loader. */
  public StepSweeps() {}

  @Override
  public Sweeper sweeper(QueueAccess queue, StoreParts store) {
    return new StepSweeper(store, queue.orderedJobs());
  }
}
