package dev.skipjack.api.spi;

import dev.skipjack.api.JobError;
import dev.skipjack.api.JobStatus;
import org.jspecify.annotations.Nullable;

/**
 * The end of an attempt that ends its job, with data: a result or the reason of a cancellation.
 *
 * @param execution the attempt
 * @param as {@link JobStatus#COMPLETED} or {@link JobStatus#CANCELLED}
 * @param result the handler's result, one JSON document as encoded by {@link
 *     dev.skipjack.api.QueueAccess}, kept in the archive; only for a completed job
 * @param reason the handler's reason for cancelling, made safe to write like the message of a
 *     {@link JobError}; only for a cancelled job
 */
public record Conclusion(
    Execution execution, JobStatus as, @Nullable String result, @Nullable String reason) {

  /** Rejects other statuses, a result of a cancelled job and a reason of a completed one. */
  public Conclusion {
    if (as != JobStatus.COMPLETED && as != JobStatus.CANCELLED) {
      throw new IllegalArgumentException(
          "An attempt is concluded as COMPLETED or CANCELLED, not as " + as + ".");
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
   * Completes a job.
   *
   * @param result one JSON document; null if there is none
   */
  public static Conclusion completed(Execution execution, @Nullable String result) {
    return new Conclusion(execution, JobStatus.COMPLETED, result, null);
  }

  /**
   * Cancels a job.
   *
   * @param reason a description of the reason; null if there is none
   */
  public static Conclusion cancelled(Execution execution, @Nullable String reason) {
    return new Conclusion(execution, JobStatus.CANCELLED, null, reason);
  }
}
