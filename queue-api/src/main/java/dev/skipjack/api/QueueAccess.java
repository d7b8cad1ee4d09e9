package dev.skipjack.api;

import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Maintenance;

/**
 * What a worker needs of a queue. Implemented by the store's door for producers, so that one object
 * serves both.
 */
public interface QueueAccess {

  /** The port to the jobs. */
  JobStore store();

  /** The port to the history's partitions. */
  Maintenance maintenance();

  /** How payloads are read. */
  PayloadCodec codec();
}
