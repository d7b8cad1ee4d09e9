package dev.skipjack.api;

/**
 * The execution no longer owns its job: somebody rescued or ended it. Whatever the handler did in
 * the open transaction must be rolled back, which letting this exception pass does.
 */
public final class LeaseLostException extends QueueException {

  private static final long serialVersionUID = 1L;

  private final JobId jobId;
  private final ExecutionId executionId;

  /** For an execution whose write was refused. */
  public LeaseLostException(JobId jobId, ExecutionId executionId) {
    super(
        "Execution %s no longer owns job %s: its lease ran out or the job was ended by somebody else. Roll back."
            .formatted(executionId, jobId),
        null);
    this.jobId = jobId;
    this.executionId = executionId;
  }

  /** The job. */
  public JobId jobId() {
    return jobId;
  }

  /** The execution that was refused. */
  public ExecutionId executionId() {
    return executionId;
  }
}
