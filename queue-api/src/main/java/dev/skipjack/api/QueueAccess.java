package dev.skipjack.api;

import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.WakeUps;
import java.util.Optional;

/**
 * What a worker needs of a queue. Implemented by the store's door for producers, so that one object
 * serves both.
 */
public interface QueueAccess {

  /** The port to the jobs. */
  JobStore store();

  /** The port to the history's partitions. */
  Maintenance maintenance();

  /** Tells of new jobs; empty when the queue has no way to. */
  Optional<WakeUps> wakeUps();

  /** How payloads are read. */
  PayloadCodec codec();
}
