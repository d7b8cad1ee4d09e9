package dev.skipjack.api;

import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.WakeUps;
import dev.skipjack.api.spi.WorkerRegistry;
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

  /** The port to the workers' own rows. */
  WorkerRegistry workers();

  /** The least {@code schema_version()} of a database that this version of the library works on. */
  int schemaVersion();

  /** Tells of new jobs; empty when the queue has no way to. */
  Optional<WakeUps> wakeUps();

  /** How payloads are read. */
  PayloadCodec codec();
}
