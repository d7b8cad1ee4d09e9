package dev.skipjack.operations.bulk;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.api.operations.RedriveResult;
import java.util.List;

/**
 * The changes that bulk operations make. Each returns a result for each job, in the order of the
 * jobs.
 */
public interface BatchCommands {

  /**
   * Cancels jobs, as {@link dev.skipjack.api.operations.QueueAdmin#cancel} does.
   *
   * @param jobs the ids of the jobs
   * @return the result for each job, in order
   */
  List<CancelResult> cancel(List<JobId> jobs);

  /**
   * Redrives dead jobs, as {@link dev.skipjack.api.operations.QueueAdmin#redrive} does.
   *
   * @param jobs the ids of the jobs
   * @return the result for each job, in order
   */
  List<RedriveResult> redrive(List<JobId> jobs);

  /**
   * Deletes dead jobs, as {@link dev.skipjack.api.operations.QueueAdmin#prune(List)} does.
   *
   * @param jobs the ids of the jobs
   * @return the result for each job, in order
   */
  List<PruneResult> prune(List<JobId> jobs);

  /**
   * Makes pending and waiting jobs due immediately.
   *
   * @param jobs the ids of the jobs
   * @return the result for each job, in order
   */
  List<EditResult> hurry(List<JobId> jobs);

  /**
   * Applies a JSON merge patch to the payloads of jobs that are not running.
   *
   * @param jobs the ids of the jobs
   * @param patch the JSON merge patch
   * @param onlyDead whether jobs that are not dead are left unchanged
   * @return the result for each job, in order
   */
  List<PatchResult> patch(List<JobId> jobs, String patch, boolean onlyDead);
}
