package dev.skipjack.operations.bulk;

import dev.skipjack.api.CancelResult;
import dev.skipjack.api.EditResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.PruneResult;
import dev.skipjack.api.RedriveResult;
import java.util.List;

/** The changes that bulk operations make. Each returns a result for each job, in their order. */
public interface BatchCommands {

  /** Cancels jobs, as {@link dev.skipjack.api.QueueAdmin#cancel} does. */
  List<CancelResult> cancel(List<JobId> jobs);

  /** Redrives dead jobs, as {@link dev.skipjack.api.QueueAdmin#redrive} does. */
  List<RedriveResult> redrive(List<JobId> jobs);

  /** Deletes dead jobs, as {@link dev.skipjack.api.QueueAdmin#prune(List)} does. */
  List<PruneResult> prune(List<JobId> jobs);

  /** Makes pending jobs due immediately. */
  List<EditResult> hurry(List<JobId> jobs);

  /**
   * Applies a JSON merge patch to payloads.
   *
   * @param onlyDead whether jobs that are not dead are left unchanged
   */
  List<PatchResult> patch(List<JobId> jobs, String patch, boolean onlyDead);
}
