package dev.skipjack.api;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if the execution no longer owns its job, because the job was rescued or has ended. Do not
 * catch it: the handler's open transaction must be rolled back.
 */
public final class LeaseLostException extends QueueException {

  private static final long serialVersionUID = 1L;

  private final JobId jobId;
  private final ExecutionId executionId;
  private final @Nullable ExecutionId heldBy;

  /**
   * Creates an exception for an execution whose write was refused.
   *
   * @param heldBy see {@link #heldBy()}; null if there is none or it is unknown
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

  /** The job. */
  public JobId jobId() {
    return jobId;
  }

  /** The execution that was refused. */
  public ExecutionId executionId() {
    return executionId;
  }

  /**
   * The execution that owns the job now, as the open transaction sees it; empty if the job waits or
   * has ended, or if the database did not report it.
   */
  public Optional<ExecutionId> heldBy() {
    return Optional.ofNullable(heldBy);
  }
}
