package dev.skipjack.steps;

import dev.skipjack.api.spi.OwnedJobs;
import dev.skipjack.store.jooq.internal.OwnedJobsProvider;

/** Creates the checks of batches. Public for {@link java.util.ServiceLoader} only. */
public final class BatchChecksProvider implements OwnedJobsProvider {

  /** Creates the provider. */
  public BatchChecksProvider() {}

  @Override
  public OwnedJobs create(Parts queue) {
    return new BatchChecks(queue);
  }
}
