package dev.skipjack.api.spi;

import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import java.time.Duration;

/**
 * Creates and removes the partitions of the job history, and deletes expired rows.
 *
 * <p>Maintenance never makes a claim or a completion wait. Steps that would have to wait for
 * another session are postponed and reported, so that the caller can try again later. Any number of
 * workers can run maintenance concurrently, in any time zones. If a call is interrupted, the next
 * one finishes its work.
 *
 * <p>If one partition or step fails, the others are still processed, and the result lists the
 * failures.
 *
 * <p>Implementations are thread-safe. Every method throws a {@link StoreException} if the database
 * is unavailable.
 */
public interface Maintenance {

  /**
   * Creates the missing partitions of the audit, the archive and the used tables of extensions,
   * starting with the current ones.
   *
   * @param ahead how far into the future to create partitions; not negative. A store may decline to
   *     create partitions in the distant future (the PostgreSQL store: more than 366 days ahead)
   *     and report them as postponed
   * @return the partitions that were created, and those left for later
   */
  CreatedPartitions createPartitions(Duration ahead);

  /**
   * Removes history that is older than its retention. Partitions that no queue needs any longer,
   * and in which no running attempt started, are dropped. In the other partitions, the archived
   * jobs of queues with a shorter retention are deleted. Records of operators' single changes are
   * deleted with the audit. The call returns after about ten seconds, even if there is more history
   * to remove.
   *
   * <p>Only tables that this method itself has detached, possibly in an earlier call, are dropped.
   *
   * @param retention how long history is kept
   * @return the partitions that were removed, and those left for later
   */
  RemovedPartitions removePartitions(Retention retention);

  /**
   * Deletes expired rows in batches: expired keys, dead jobs that are older than the {@code
   * dead_retention} of their queue, and workers that have not been seen for a day. Locked rows are
   * left for the next call. The call returns after about ten seconds even if it has not finished,
   * and the next call continues where it stopped.
   *
   * @return how many rows were deleted
   */
  Pruned prune();

  /**
   * Continues the bulk operations whose process has ended: those that are running but whose row was
   * last written 2 minutes ago, by the database clock. Only one process continues an operation, and
   * one that was believed to have ended changes no further job. The call returns after about a
   * second, or after one batch if that takes longer; the next call continues where it stopped. An
   * operation that cannot be continued does not affect the others, and is tried again when it
   * counts as abandoned again.
   *
   * <p>The database role must be allowed to run operations, for example that of operators of the
   * roles script. A store without operations does nothing, which is the default.
   *
   * @return the operations that ended, and why others could not be continued
   */
  default ContinuedOperations continueOperations() {
    return ContinuedOperations.NONE;
  }
}
