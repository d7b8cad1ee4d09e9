package dev.skipjack.api.schedule;

import java.util.Locale;

/**
 * Determines what a schedule does at a planned time while an earlier job of the schedule is still
 * pending, waiting or running. Dead jobs do not count.
 */
public enum Overlap {
  /** Enqueues another job. */
  ALLOW,
  /** Enqueues no job; the schedule continues with its next planned time. */
  SKIP_WHILE_LIVE,
  /**
   * Cancels the job that the schedule enqueued last and then enqueues the next one. If the previous
   * job is running, its handler is asked to stop, and may still run briefly while the next job
   * starts. If another transaction has locked the previous job, the schedule is fired again after a
   * few seconds.
   */
  CANCEL_PREVIOUS;

  private final String literal = name().toLowerCase(Locale.ROOT);

  /** {@return the value that represents this constant in the database} */
  public String literal() {
    return literal;
  }

  /**
   * {@return the constant that a database value represents}
   *
   * @param literal the value in the database
   * @throws IllegalArgumentException if no constant has this value
   */
  public static Overlap of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
