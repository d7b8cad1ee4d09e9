package dev.skipjack.api.spi;

import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import java.time.Duration;

/**
 * Keeps the history's partitions coming and going, and deletes what nobody keeps any longer.
 *
 * <p>Nothing here makes a claim or a completion wait, whoever holds what. What cannot be done
 * without waiting for somebody is postponed, and the answer says so: call again later. Any number
 * of maintainers may be at it, in any time zones, and a call that died half-way is finished by the
 * next.
 *
 * <p>Each partition and each step fails alone: the answer lists what failed, and the rest is done.
 *
 * <p>Safe for any number of threads. Throws {@link StoreException} when the database is
 * unavailable.
 */
public interface Maintenance {

  /**
   * Creates the missing partitions of audit and archive, from the one that holds the present on.
   *
   * @param ahead how far into the future; not negative. A store may refuse partitions of a distant
   *     future, PostgreSQL's those of more than 366 days ahead: they are reported as postponed
   */
  CreatedPartitions createPartitions(Duration ahead);

  /**
   * Removes what is older than its retention: whole partitions that no queue keeps anything of and
   * that hold no running attempt, and in kept ones the archived jobs of queues whose retention is
   * shorter. Returns after some ten seconds, whatever is left.
   *
   * <p>Only tables are dropped that this method itself detached, in an earlier call perhaps.
   */
  RemovedPartitions removePartitions(Retention retention);

  /**
   * Deletes in bounded batches what lies in no partition: keys that are over, and the dead jobs of
   * queues that keep them for a limited time only ({@code job_queues.dead_retention}). Forgets
   * workers that were not seen for a day. What somebody holds is left for the next call. Returns
   * after some ten seconds, whatever is left; the next call goes on where this one stopped.
   */
  Pruned prune();
}
