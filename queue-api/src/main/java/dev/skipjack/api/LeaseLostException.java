package dev.skipjack.api;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The execution no longer owns its job: somebody rescued or ended it. Whatever the handler did in
 * the open transaction must be rolled back, which letting this exception pass does.
 */
public final class LeaseLostException extends QueueException {

  private static final long serialVersionUID = 1L;

  private final JobId jobId;
  private final ExecutionId executionId;
  private final @Nullable ExecutionId heldBy;

  /**
   * For an execution whose write was refused.
   *
   * @param heldBy as {@link #heldBy()}; null: none, or nobody knows
   */
  public LeaseLostException(JobId jobId, ExecutionId executionId, @Nullable ExecutionId heldBy) {
    super(
        "Execution %s no longer owns job %s: its lease ran out or the job was ended by somebody else. Roll back."
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
   * The execution that owns the job now, as the open transaction sees it; empty when the job waits
   * or has ended, or when the database did not say.
   */
  public Optional<ExecutionId> heldBy() {
    return Optional.ofNullable(heldBy);
  }
}
