package dev.skipjack.api;

/**
 * The id of a job. It never changes, and is the same in the live table, the archive and the audit.
 *
 * @param value the numeric id; positive, and increasing in the order in which jobs are enqueued,
 *     with gaps
 */
public record JobId(long value) {

  /**
   * Creates a job id.
   *
   * @throws IllegalArgumentException if {@code value} is not positive
   */
  public JobId {
    if (value < 1) {
      throw new IllegalArgumentException("Job id %d is not positive.".formatted(value));
    }
  }

  /** Returns the number, as shown in logs and commands. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
