package dev.skipjack.api.spi;

import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import java.time.Duration;

/**
 * Creates and removes the partitions of the history, and deletes expired rows.
 *
 * <p>No method makes a claim or a completion wait. Steps that would have to wait for another
 * session are postponed and reported: call again later. Any number of workers may run maintenance
 * at the same time, in any time zones, and a call that was interrupted is finished by the next one.
 *
 * <p>A failure of one partition or step does not prevent the others; the result lists the failures.
 *
 * <p>Safe for any number of threads. Throws {@link StoreException} when the database is
 * unavailable.
 */
public interface Maintenance {

  /**
   * Creates the missing partitions of audit and archive, starting with the current one.
   *
   * @param ahead how far into the future; not negative. A store may refuse partitions in the
   *     distant future (that of PostgreSQL, more than 366 days ahead) and report them as postponed
   */
  CreatedPartitions createPartitions(Duration ahead);

  /**
   * Removes history that is older than its retention: whole partitions that no queue keeps and that
   * contain no running attempt, and in other partitions the archived jobs of queues with a shorter
   * retention. Returns after about ten seconds, even if more history remains to be removed.
   *
   * <p>It drops only tables that this method has detached, possibly in an earlier call.
   */
  RemovedPartitions removePartitions(Retention retention);

  /**
   * Deletes, in bounded batches, expired rows outside partitions: expired keys, and dead jobs of
   * queues that keep them for a limited time ({@code job_queues.dead_retention}). Also deletes the
   * rows of workers that were not seen for a day. Locked rows are left for the next call. Returns
   * after about ten seconds, even if it has not finished; the next call continues where this one
   * stopped.
   */
  Pruned prune();
}
