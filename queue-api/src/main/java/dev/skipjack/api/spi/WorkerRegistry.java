package dev.skipjack.api.spi;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import java.util.List;

/**
 * The registry of workers, which exists for operators and their tools. It affects neither claims
 * nor rescues. {@link Maintenance#prune} deletes workers that have not been seen for a day.
 *
 * <p>Implementations are thread-safe. Every method runs in its own short transaction, and throws a
 * {@link StoreException} if the database rejects the statement or cannot be reached.
 */
public interface WorkerRegistry {

  /**
   * Inserts or updates the row of a worker. By the database clock, {@code startedAt} is set to the
   * time of the first call, and {@code seenAt} to the current time.
   *
   * @param row the values of the row
   * @return the information that the worker needs, read by the same statement
   */
  WorkerInstructions announce(WorkerRow row);

  /**
   * {@return the kinds of due jobs in the worker's queues that the worker does not handle, longest
   * waiting first} Paused queues are left out. Only the oldest hundred due jobs of each lane are
   * read, so a kind whose jobs come later may be missing.
   *
   * @param worker the row that the worker has announced
   */
  List<UnhandledKind> unhandledKinds(WorkerRow worker);

  /**
   * Deletes the row of a worker that is stopping, if there is one.
   *
   * @param id the identity of the worker
   */
  void remove(WorkerId id);

  /**
   * Adds what a worker did in the last minute to the numbers for charts. A store without such
   * numbers does nothing, which is the default.
   *
   * @param worker the identity of the worker
   * @param counts the numbers of each queue and kind with attempts, at least one
   */
  default void addMinute(WorkerId worker, List<JobMinute> counts) {}

  /**
   * Counts the live jobs of each queue for charts, unless a worker has done so in this minute. A
   * store without such numbers does nothing, which is the default.
   */
  default void addDepths() {}

  /**
   * Records where handlers of long attempts are, for display, and removes what was recorded for
   * attempts that have ended. A sample whose execution no longer owns its job is not recorded. A
   * store without such samples does nothing, which is the default.
   *
   * @param samples the samples, at most one of each execution; each replaces the one before
   * @param ended executions whose samples are removed, none of them in {@code samples}
   */
  default void recordStacks(List<StackSample> samples, List<ExecutionId> ended) {}
}
