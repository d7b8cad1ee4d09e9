package dev.skipjack.api;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when an execution no longer owns its job, because the job has been rescued or has ended.
 * Do not catch this exception: the handler's open transaction must be rolled back.
 */
public final class LeaseLostException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** The job. */
  private final JobId jobId;

  /** The attempt that has lost its lease. */
  private final ExecutionId executionId;

  /** The attempt that holds the job now, or null. */
  private final @Nullable ExecutionId heldBy;

  /**
   * Creates an exception for an execution whose write was rejected.
   *
   * @param jobId the job
   * @param executionId the execution
   * @param heldBy the execution that owns the job now; null if there is none or it is unknown
   */
  public LeaseLostException(JobId jobId, ExecutionId executionId, @Nullable ExecutionId heldBy) {
    super(
        "Execution %s no longer owns job %s: its lease expired or the job has ended. Roll back."
            .formatted(executionId, jobId),
        null);
    this.jobId = jobId;
    this.executionId = executionId;
    this.heldBy = heldBy;
  }

  /** {@return the id of the job} */
  public JobId jobId() {
    return jobId;
  }

  /** {@return the id of the execution whose write was rejected} */
  public ExecutionId executionId() {
    return executionId;
  }

  /**
   * {@return the id of the execution that owns the job now, as read in the open transaction} Empty
   * if the job is not running, or if the database did not report the id.
   */
  public Optional<ExecutionId> heldBy() {
    return Optional.ofNullable(heldBy);
  }
}
