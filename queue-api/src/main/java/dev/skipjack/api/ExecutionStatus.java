package dev.skipjack.api;

import java.util.Locale;

/** How an attempt ended, as its audit row says. */
public enum ExecutionStatus {
  /** It has not ended. */
  RUNNING,
  /** The job is completed. */
  SUCCEEDED,
  /** It failed and the job will be retried. */
  FAILED,
  /** It failed and the job is dead. */
  DEAD,
  /** Its lease ran out before it ended. */
  LOST,
  /** The job was called off while it ran. */
  CANCELLED,
  /** Its worker shut down and gave the job back. */
  RELEASED,
  /** Its handler asked for later. */
  SNOOZED;

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
  public static ExecutionStatus of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
