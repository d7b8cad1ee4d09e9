package dev.skipjack.api.operations;

import dev.skipjack.api.JobId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A preview of the jobs that a bulk operation would change.
 *
 * @param action the action
 * @param filter the filter, with the status that the action needs
 * @param payloadPatch the JSON merge patch that is applied to the payloads; null if they are not
 *     changed
 * @param changes the payloads of {@code sample} before and after the patch; empty if there is none
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
    @Nullable String payloadPatch,
    List<PayloadChange> changes,
    long jobs,
    boolean atLeast,
    List<JobSummary> sample,
    long newestId,
    @Nullable Instant diedBefore) {

  /**
   * Makes defensive copies of the lists.
   *
   * @param action the action
   * @param filter selects the jobs
   * @param payloadPatch the JSON merge patch
   * @param changes the changes of the sample
   * @param jobs the number of jobs that match
   * @param atLeast whether there may be more jobs than were counted
   * @param sample some of the jobs
   * @param newestId the newest job that the operation changes
   * @param diedBefore the time before which the jobs must have died
   */
  public OperationPreview {
    changes = List.copyOf(changes);
    sample = List.copyOf(sample);
  }

  /**
   * The payload of a job before and after a patch.
   *
   * @param before the payload, as JSON
   * @param after the patched payload, as JSON; null if the payload is not an object and is
   *     therefore not changed
   */
  public record PayloadChange(JobId job, String before, @Nullable String after) {}
}
