package dev.skipjack.api;

/**
 * Identity of a job, which never changes: in the live table, in the archive and in the audit.
 *
 * @param value positive; increases in the order of enqueueing, with gaps
 */
public record JobId(long value) {

  /** Rejects values that are not positive. */
  public JobId {
    if (value < 1) {
      throw new IllegalArgumentException("Job id %d is not positive.".formatted(value));
    }
  }

  /** The plain number, as shown in logs and commands. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
