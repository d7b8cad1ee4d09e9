package dev.skipjack.testkit;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobReader;
import dev.skipjack.api.QueueAdmin;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.WorkerRegistry;
import java.sql.Connection;

/**
 * A store from the perspective of {@link JobStoreContract}: all ports, on the same database and
 * schema. The test of a store implements this, usually as a view of one object.
 */
public interface StorePorts {

  /** Returns the port for claiming and running jobs. */
  JobStore store();

  /** Returns an enqueuer with transactions of its own. */
  JobEnqueuer enqueuer();

  /**
   * Returns an enqueuer in the caller's transaction.
   *
   * @param transaction not in auto-commit mode; the store neither commits, rolls back nor closes it
   */
  JobEnqueuer enqueuerIn(Connection transaction);

  /** Returns the port for administrative operations. */
  QueueAdmin admin();

  /** Returns the port for read-only queries. */
  JobReader reader();

  /** Returns the port for the partitions of the history. */
  Maintenance maintenance();

  /** Returns the port for the workers' own rows. */
  WorkerRegistry workers();
}
