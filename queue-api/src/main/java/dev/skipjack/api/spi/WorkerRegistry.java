package dev.skipjack.api.spi;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;

/**
 * The registry of workers, for operators and their tools. Nothing else reads it: a job is rescued
 * when its lease has expired, whatever the registry contains. {@link Maintenance#prune} deletes
 * workers that have not been seen for a day.
 *
 * <p>Safe for any number of threads. Every method runs one short transaction of its own and throws
 * {@link StoreException} when the database refused the statement or could not be reached.
 */
public interface WorkerRegistry {

  /**
   * Inserts or updates the worker's row: {@code startedAt} is the time of the first call, and
   * {@code seenAt} is now, by the database's clock.
   *
   * @return what the worker needs to know, read in the same statement
   */
  WorkerInstructions announce(WorkerRow row);

  /** Deletes the row of a worker that stops, if there is one. */
  void remove(WorkerId id);
}
