package dev.skipjack.api;

/** Status of the job that holds a unique key, from the perspective of a duplicate. */
public enum HolderStatus {
  /**
   * Pending, and has not used an attempt: the only state in which a duplicate may change the job.
   */
  PENDING,
  /** Pending for another attempt. */
  RETRYING,
  /** Running; its handler may have read its data before the duplicate was enqueued. */
  RUNNING,
  /** Waiting behind an earlier job of its ordering key. */
  WAITING,
  /** Dead, and its key is kept by dead jobs. */
  DEAD,
  /** Completed, cancelled or pruned, and its key is kept for a period. */
  ENDED;

  /**
   * Returns the status of a holder that is a live job.
   *
   * @param hasUsedAttempt whether the job has used an attempt
   * @throws IllegalArgumentException if {@code status} is not one of a live job
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
