package dev.skipjack.api;

/**
 * Identity of a job, for ever: while it lives, in the archive and in the audit.
 *
 * @param value positive; rises with the order of enqueueing, with gaps
 */
public record JobId(long value) {

  /** Refuses what no job can have. */
  public JobId {
    if (value < 1) {
      throw new IllegalArgumentException("Job id %d is not positive.".formatted(value));
    }
  }

  /** The bare number, as logs and commands show it. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
