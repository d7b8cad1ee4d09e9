package dev.skipjack.api;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Changes all jobs that match a filter: previews the change, applies it in batches of 500, and
 * keeps a record of who changed what.
 *
 * <pre>{@code
 * OperationPreview preview = operations.preview(OperationAction.REDRIVE, JobQuery.live().error("timeout"));
 * JobOperation operation = operations.start(preview, "anna");
 * operations.run(operation.id(), progress -> {});
 * }</pre>
 *
 * <p>Each batch is committed before the next one begins. An operation whose process has died, or
 * that was stopped, continues after its last batch when {@link #run} is called again. An
 * interrupted batch is then repeated, which is safe, but the jobs that it had already changed are
 * not counted.
 *
 * <p>Implementations are thread-safe. Every method throws a {@link StoreException} if the database
 * rejects a statement or cannot be reached.
 */
public interface JobOperations {

  /**
   * Counts the jobs that an action would change. Reads at most 20 pages of the list.
   *
   * @param filter the jobs, beginning with {@link JobQuery#live}; its limit and token are ignored
   * @throws IllegalArgumentException as for {@link OperationAction#restrict}
   */
  OperationPreview preview(OperationAction action, JobQuery filter);

  /**
   * Counts the jobs that {@link OperationAction#PRUNE} would delete if it is limited to jobs that
   * have been dead for longer than {@code age}, by the database clock. Reads at most 20 pages of
   * the list of dead jobs.
   *
   * @param age the minimum age, from 0 to 36,500 days
   * @throws IllegalArgumentException as for {@link OperationAction#restrict}, or if {@code age} is
   *     out of range
   */
  OperationPreview previewPrune(JobQuery filter, Duration age);

  /**
   * Records an operation without changing any job. Use {@link #run} to run it.
   *
   * @param actor the operator, from 1 to 200 characters
   * @throws IllegalArgumentException if {@code actor} is blank or too long
   */
  JobOperation start(OperationPreview preview, String actor);

  /**
   * Runs an operation until it has finished or is stopped. An operation that was stopped is
   * continued.
   *
   * @param progress a callback that is called after each batch
   * @return the state of the operation when the call ends
   * @throws IllegalArgumentException if there is no such operation
   */
  JobOperation run(long id, Consumer<JobOperation> progress);

  /**
   * Stops an operation after its current batch.
   *
   * @return whether the operation was running
   */
  boolean stop(long id);

  /** Returns an operation, or empty if there is none with this id. */
  Optional<JobOperation> find(long id);

  /**
   * Returns the latest operations, newest first.
   *
   * @param limit the maximum number of operations, from 1 to 500
   */
  List<JobOperation> list(int limit);
}
