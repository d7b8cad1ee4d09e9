package dev.skipjack.api;

import java.util.Locale;

/** The status of an attempt in the audit. */
public enum ExecutionStatus {
  /** The attempt has not ended. */
  RUNNING,
  /** The attempt completed the job. */
  SUCCEEDED,
  /** The attempt failed, and the job will be retried. */
  FAILED,
  /** The attempt failed, and the job became dead. */
  DEAD,
  /** The lease expired before the attempt ended. */
  LOST,
  /** The job was cancelled during the attempt. */
  CANCELLED,
  /** The worker released the job, for example during shutdown. */
  RELEASED,
  /** The handler postponed the job. */
  SNOOZED;

  private final String literal = name().toLowerCase(Locale.ROOT);

  /** {@return the value that represents this status in the database} */
  public String literal() {
    return literal;
  }

  /**
   * {@return the status that a database value represents}
   *
   * @param literal the value in the database
   * @throws IllegalArgumentException if no status has this value
   */
  public static ExecutionStatus of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
