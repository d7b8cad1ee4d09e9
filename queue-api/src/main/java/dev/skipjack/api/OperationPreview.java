package dev.skipjack.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A preview of the jobs that a bulk operation would change.
 *
 * @param action the action
 * @param filter the filter, with the status that the action needs
 * @param jobs the number of jobs that match
 * @param atLeast whether more jobs may match, because the preview did not read all of them
 * @param sample the first jobs that match, at most five
 * @param newestId the newest job that exists. The operation changes no job with a higher id
 * @param diedBefore the operation changes only jobs that died before this time; null for no such
 *     limit
 */
public record OperationPreview(
    OperationAction action,
    JobQuery filter,
    long jobs,
    boolean atLeast,
    List<JobSummary> sample,
    long newestId,
    @Nullable Instant diedBefore) {

  /** Makes a defensive copy of the list. */
  public OperationPreview {
    sample = List.copyOf(sample);
  }
}
