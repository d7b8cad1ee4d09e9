package dev.skipjack.api;

import java.util.Locale;

/** Status of an attempt in its audit row. */
public enum ExecutionStatus {
  /** It has not ended. */
  RUNNING,
  /** The job is completed. */
  SUCCEEDED,
  /** It failed and the job will be retried. */
  FAILED,
  /** It failed and the job is dead. */
  DEAD,
  /** Its lease expired before it ended. */
  LOST,
  /** The job was cancelled while it ran. */
  CANCELLED,
  /** Its worker released the job, at a shutdown for example. */
  RELEASED,
  /** Its handler postponed the job. */
  SNOOZED;

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
  public static ExecutionStatus of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
