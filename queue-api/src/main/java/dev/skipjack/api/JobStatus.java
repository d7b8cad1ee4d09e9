package dev.skipjack.api;

import java.util.Locale;

/** Where a job is in its life. {@code docs/job-lifecycle.md} draws the ways from one to another. */
public enum JobStatus {
  /** Waits for its time, or for a worker; a job to be retried waits here too. */
  PENDING,
  /** One execution holds a lease on it. */
  RUNNING,
  /** Waits behind an earlier job of its ordering key. */
  WAITING,
  /**
   * Its attempts are used up, or its handler said never. Kept until a person redrives or prunes it.
   */
  DEAD,
  /** Done. Only in the archive. */
  COMPLETED,
  /** Called off. Only in the archive. */
  CANCELLED;

  private final String literal = name().toLowerCase(Locale.ROOT);

  /** The word in the database. */
  public String literal() {
    return literal;
  }

  /**
   * The status with this word.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static JobStatus of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
