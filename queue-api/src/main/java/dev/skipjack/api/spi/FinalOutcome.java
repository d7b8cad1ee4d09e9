package dev.skipjack.api.spi;

import dev.skipjack.api.JobError;
import dev.skipjack.api.JobStatus;
import org.jspecify.annotations.Nullable;

/**
 * An outcome that ends a job and carries data: the result of a completed job, or the reason for a
 * cancellation.
 *
 * @param execution the attempt
 * @param as {@link JobStatus#COMPLETED} or {@link JobStatus#CANCELLED}
 * @param result the handler's result, as a JSON document encoded by {@link
 *     dev.skipjack.api.QueueAccess#encodeResult}, which is stored in the archive; null if there is
 *     none or the job is cancelled
 * @param reason the handler's reason for the cancellation, sanitized like the message of a {@link
 *     JobError}; null if there is none or the job is completed
 */
public record FinalOutcome(
    Execution execution, JobStatus as, @Nullable String result, @Nullable String reason) {

  /**
   * Creates a final outcome.
   *
   * @param execution the execution, which fences the write
   * @param as {@link JobStatus#COMPLETED} or {@link JobStatus#CANCELLED}
   * @param result the result as JSON
   * @param reason the reason
   * @throws IllegalArgumentException if the status is neither COMPLETED nor CANCELLED, a cancelled
   *     job has a result, or a completed job has a reason
   */
  public FinalOutcome {
    if (as != JobStatus.COMPLETED && as != JobStatus.CANCELLED) {
      throw new IllegalArgumentException(
          "A final outcome is COMPLETED or CANCELLED, not " + as + ".");
    }
    if (as == JobStatus.CANCELLED && result != null) {
      throw new IllegalArgumentException("A cancelled job has a reason and no result.");
    }
    if (as == JobStatus.COMPLETED && reason != null) {
      throw new IllegalArgumentException("A completed job has a result and no reason.");
    }
    reason = reason == null ? null : JobError.of(reason).message();
  }

  /**
   * {@return a final outcome that completes a job}
   *
   * @param execution the execution, which fences the write
   * @param result the result, as a JSON document; null if there is none
   */
  public static FinalOutcome completed(Execution execution, @Nullable String result) {
    return new FinalOutcome(execution, JobStatus.COMPLETED, result, null);
  }

  /**
   * {@return a final outcome that cancels a job}
   *
   * @param execution the execution, which fences the write
   * @param reason the reason; null if there is none
   */
  public static FinalOutcome cancelled(Execution execution, @Nullable String reason) {
    return new FinalOutcome(execution, JobStatus.CANCELLED, null, reason);
  }
}
