package dev.skipjack.testkit;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.WorkerRegistry;
import java.sql.Connection;

/**
 * The interfaces of a store that {@link JobStoreContract} tests, all on the same database and
 * schema. The test of a store implements this interface, usually as a view of a single object.
 */
public interface StorePorts {

  /** {@return the store, through which jobs are claimed and their outcomes recorded} */
  JobStore store();

  /** {@return an enqueuer that runs its own transactions} */
  JobEnqueuer enqueuer();

  /**
   * {@return an enqueuer that takes part in the caller's transaction}
   *
   * @param transaction a connection that is not in auto-commit mode; the store does not commit,
   *     roll back or close it
   */
  JobEnqueuer enqueuerIn(Connection transaction);

  /** {@return the administrative operations} */
  QueueAdmin admin();

  /** {@return the read-only queries} */
  JobReader reader();

  /** {@return the maintenance operations for the partitions of the history} */
  Maintenance maintenance();

  /** {@return the registry of workers} */
  WorkerRegistry workers();
}
