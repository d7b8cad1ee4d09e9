package dev.skipjack.api;

/** Where the job is that holds a unique key, as far as it matters to whoever asks for the key. */
public enum HolderStatus {
  /** Pending, and has not used an attempt: the only one that a request may change. */
  PENDING,
  /** Pending for another attempt. */
  RETRYING,
  /** Running; its handler may have read its data before the request came. */
  RUNNING,
  /** Waits behind an earlier job of its ordering key. */
  WAITING,
  /** Dead, with a key that a dead job keeps. */
  DEAD,
  /** Completed, cancelled or pruned, with a key that is kept for a period. */
  ENDED;

  /**
   * The one that says it of a live job.
   *
   * @param hasUsedAttempt whether an attempt counts
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
