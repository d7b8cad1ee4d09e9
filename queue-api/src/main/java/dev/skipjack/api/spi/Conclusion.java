package dev.skipjack.api.spi;

import dev.skipjack.api.JobError;
import dev.skipjack.api.JobStatus;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that ends its job for good, with something to say about it.
 *
 * @param execution the attempt
 * @param as {@link JobStatus#COMPLETED} or {@link JobStatus#CANCELLED}
 * @param result what the handler returned, one JSON document as {@link
 *     dev.skipjack.api.QueueAccess} writes them, kept in the archive; only of a completed job
 * @param reason why the handler wants the job never to run again, made safe to write as a {@link
 *     JobError}'s message; only of a cancelled job
 */
public record Conclusion(
    Execution execution, JobStatus as, @Nullable String result, @Nullable String reason) {

  /** Refuses other ends, a result of a cancelled job and a reason of a completed one. */
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
   * Ends an attempt well.
   *
   * @param result one JSON document; null: there is none
   */
  public static Conclusion completed(Execution execution, @Nullable String result) {
    return new Conclusion(execution, JobStatus.COMPLETED, result, null);
  }

  /**
   * Ends a job that shall not be run again.
   *
   * @param reason in words; null: nobody said
   */
  public static Conclusion cancelled(Execution execution, @Nullable String reason) {
    return new Conclusion(execution, JobStatus.CANCELLED, null, reason);
  }
}
