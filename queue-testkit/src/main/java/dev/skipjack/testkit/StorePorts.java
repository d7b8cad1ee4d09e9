package dev.skipjack.testkit;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobReader;
import dev.skipjack.api.QueueAdmin;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.WorkerRegistry;
import java.sql.Connection;

/**
 * A store as {@link JobStoreContract} sees it: every port, all on one database and one schema.
 * Whoever writes a store implements this in a test, usually as a view of one object.
 */
public interface StorePorts {

  /** The port to the jobs. */
  JobStore store();

  /** Enqueues in transactions of its own. */
  JobEnqueuer enqueuer();

  /**
   * Enqueues in the caller's transaction.
   *
   * @param transaction not in auto-commit mode; the store neither commits, rolls back nor closes it
   */
  JobEnqueuer enqueuerIn(Connection transaction);

  /** What a person does to jobs and queues. */
  QueueAdmin admin();

  /** What a person sees. */
  JobReader reader();

  /** The port to the history's partitions. */
  Maintenance maintenance();

  /** The port to the workers' own rows. */
  WorkerRegistry workers();
}
