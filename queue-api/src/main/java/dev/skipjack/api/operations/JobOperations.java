package dev.skipjack.api.operations;

import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
 * <p>Each batch is committed before the next one begins. An operation whose process has ended is
 * continued by a running worker, about 2 minutes after its last batch; one that was stopped
 * continues when {@link #run} is called again. A batch and the record of its results are one
 * transaction. An interrupted batch has therefore changed nothing, and every job is counted once.
 * Only the latest run of an operation changes jobs.
 *
 * <p>Implementations are thread-safe. Every method throws a {@link StoreException} if the database
 * rejects a statement or cannot be reached.
 */
public interface JobOperations {

  /**
   * Counts the jobs that an action would change. Reads at most 20 pages of the list.
   *
   * @param action the action
   * @param filter selects the jobs; made from {@link JobQuery#live}. Its limit and token are
   *     ignored
   * @return the number of jobs, and a sample of them
   * @throws IllegalArgumentException as for {@link OperationAction#restrict}, or if the action
   *     needs a patch
   */
  OperationPreview preview(OperationAction action, JobQuery filter);

  /**
   * Counts the jobs whose payloads an action would change, like {@link #preview(OperationAction,
   * JobQuery)}. {@link OperationAction#EDIT} changes nothing else; {@link OperationAction#REDRIVE}
   * also redrives the jobs.
   *
   * <p>The patch is a JSON merge patch (RFC 7396): {@code {"currency": "EUR", "debug": null}} sets
   * one field and removes another. Objects inside it are merged in the same way; arrays are
   * replaced. Payloads that are not objects, or would become larger than the limit of the queue,
   * are skipped. A job that cannot be redriven because another job holds its unique key keeps the
   * changed payload. The role must be allowed to execute the function {@code merge_patch}.
   *
   * @param action {@link OperationAction#EDIT} or {@link OperationAction#REDRIVE}
   * @param filter selects the jobs, as for {@link #preview(OperationAction, JobQuery)}
   * @param payloadPatch a JSON object
   * @return the number of jobs, and a sample of them
   * @throws IllegalArgumentException as for {@link OperationAction#restrict}, or if the action does
   *     not change payloads
   * @throws PayloadException if the patch is not a JSON object, or its values cannot be stored
   */
  OperationPreview preview(OperationAction action, JobQuery filter, String payloadPatch);

  /**
   * Counts the jobs that {@link OperationAction#PRUNE} would delete if it is limited to jobs that
   * have been dead for longer than {@code age}, by the database clock. Reads at most 20 pages of
   * the list of dead jobs.
   *
   * @param filter selects the jobs, as for {@link #preview(OperationAction, JobQuery)}
   * @param age the minimum age, from 0 to 36,500 days
   * @return the number of jobs, and a sample of them
   * @throws IllegalArgumentException as for {@link OperationAction#restrict}, or if {@code age} is
   *     out of range
   */
  OperationPreview previewPrune(JobQuery filter, Duration age);

  /**
   * Records an operation without changing any job. Use {@link #run} to run it.
   *
   * @param preview the preview of the operation
   * @param actor the operator, from 1 to 200 characters
   * @return the recorded operation
   * @throws IllegalArgumentException if {@code actor} is blank or too long
   */
  JobOperation start(OperationPreview preview, String actor);

  /**
   * Runs an operation until it has finished, is stopped, or is run by another call or a worker. An
   * operation that was stopped is continued. One that runs in another process is taken over: the
   * other run ends after its batch.
   *
   * @param id the id of the operation
   * @param progress a callback that is called after each batch
   * @return the operation as it is when the call ends
   * @throws IllegalArgumentException if there is no such operation
   */
  JobOperation run(long id, Consumer<JobOperation> progress);

  /**
   * Stops an operation after its current batch.
   *
   * @param id the id of the operation
   * @return whether the operation was running
   */
  boolean stop(long id);

  /**
   * {@return an operation, or empty if there is none with this id}
   *
   * @param id the id of the operation
   */
  Optional<JobOperation> find(long id);

  /**
   * {@return the latest operations, newest first}
   *
   * @param limit the maximum number of operations, from 1 to 500
   */
  List<JobOperation> list(int limit);

  /**
   * {@return the latest single changes that operators made with {@link QueueAdmin#as}, or that were
   * recorded with {@link #record}, newest first}
   *
   * @param limit the maximum number of changes, from 1 to 500
   */
  List<JobChange> changes(int limit);

  /**
   * Records a single change that has been made, for tools that change something in another way than
   * by {@link QueueAdmin#as}, such as a schedule. The record is written in a transaction of its
   * own.
   *
   * @param actor the operator, from 1 to 200 characters
   * @param reason why, at most 1,000 characters; null if no reason was given
   * @param action the change, for example {@code fire}
   * @param queue the queue whose job or schedule was changed; null if there is none
   * @param target what was changed, for example the name of the schedule
   * @throws IllegalArgumentException if {@code actor} is blank, or a text is too long
   */
  void record(
      String actor, @Nullable String reason, String action, @Nullable String queue, String target);
}
