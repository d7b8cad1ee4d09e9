package dev.skipjack.api;

/** The status of the job that holds a unique key. */
public enum HolderStatus {
  /** Pending, and has not used an attempt. A duplicate can change the job. */
  PENDING,
  /** Pending, waiting for another attempt. */
  RETRYING,
  /** Running. The handler may have read its input before the duplicate was enqueued. */
  RUNNING,
  /**
   * Waiting behind an earlier job of its ordering key. A duplicate can change the job if it has not
   * used an attempt.
   */
  WAITING,
  /** Dead, but still holding its key. */
  DEAD,
  /** Completed, cancelled or pruned; the period for which the key is kept has not ended. */
  ENDED;

  /**
   * {@return the status of a holder that is still live}
   *
   * @param status the status
   * @param hasUsedAttempt whether the job has used an attempt
   * @throws IllegalArgumentException if {@code status} is not the status of a live job
   */
  public static HolderStatus of(JobStatus status, boolean hasUsedAttempt) {
    return switch (status) {
      case PENDING -> hasUsedAttempt ? RETRYING : PENDING;
      case RUNNING -> RUNNING;
      case WAITING -> WAITING;
      case DEAD -> DEAD;
      case COMPLETED, CANCELLED ->
          throw new IllegalArgumentException("A job that is %s is not live.".formatted(status));
    };
  }
}
