package dev.skipjack.api.spi;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;

/**
 * Where workers introduce themselves, for people and their tools. Nothing else reads it: a job is
 * rescued when its lease is over, whatever is written here. A worker that has not been seen for a
 * day is forgotten by {@link Maintenance#prune}.
 *
 * <p>Safe for any number of threads. Every method runs one short transaction of its own and throws
 * {@link StoreException} when the database refused or could not be reached.
 */
public interface WorkerRegistry {

  /**
   * Gives a sign of life: writes the worker's row, whose {@code startedAt} is that of the first
   * call and whose {@code seenAt} is now by the database's clock.
   *
   * @return what the worker has to know, read in the same statement
   */
  WorkerInstructions announce(WorkerRow row);

  /** Removes the row of a worker that stops; nothing happens if there is none. */
  void remove(WorkerId id);
}
