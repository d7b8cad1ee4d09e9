package dev.skipjack.spring.test;

import dev.skipjack.api.JobId;
import org.jspecify.annotations.Nullable;

/**
 * An attempt failed that ran as part of an enqueue, with {@link JobMode#INLINE}. The cause is the
 * exception of the handler, if it threw one. The job has been enqueued, and waits for its retry or
 * is dead.
 */
public final class JobFailedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final transient JobId jobId;

  JobFailedException(JobId jobId, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.jobId = jobId;
  }

  /** {@return the id of the job whose attempt failed} */
  public JobId jobId() {
    return jobId;
  }
}
