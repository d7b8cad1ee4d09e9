package dev.skipjack.api;

import java.util.Locale;

/**
 * Status of a job. {@code docs/job-lifecycle.md} shows the transitions from one to another, and
 * {@code StatusesTest} of the store compares this list with the schema.
 */
public enum JobStatus {
  /** Waits for its due time, a retry's too, or for a worker. */
  PENDING,
  /** Held by an execution, whose lease is renewed while it runs. */
  RUNNING,
  /** Waiting behind an earlier job of its ordering key. */
  WAITING,
  /**
   * Failed for good, by its last attempt or by its handler. Kept until it is redriven or pruned.
   */
  DEAD,
  /** Completed by its handler. In the archive only. */
  COMPLETED,
  /** Cancelled by an operator or its handler. In the archive only. */
  CANCELLED;

  private final String literal = name().toLowerCase(Locale.ROOT);

  /** The value in the database. */
  public String literal() {
    return literal;
  }

  /**
   * The status with this value in the database.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static JobStatus of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }

  /** Whether a job of this status is in the live table; otherwise it is in the archive. */
  public boolean isLive() {
    return switch (this) {
      case PENDING, RUNNING, WAITING, DEAD -> true;
      case COMPLETED, CANCELLED -> false;
    };
  }
}
