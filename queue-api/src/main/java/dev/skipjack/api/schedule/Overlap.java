package dev.skipjack.api.schedule;

import java.util.Locale;

/**
 * What a fire does while an earlier job of its schedule is live: waits for its due time, waits for
 * a worker or a retry, or runs. A dead job is not live.
 */
public enum Overlap {
  /** Enqueues another job. */
  ALLOW,
  /** Enqueues nothing; the schedule moves on to its next fire. */
  SKIP_WHILE_LIVE,
  /**
   * Cancels the job of the previous fire, then enqueues the next. A handler that runs is asked to
   * stop, and may still run for a moment while the next job starts.
   */
  CANCEL_PREVIOUS;

  private final String literal = name().toLowerCase(Locale.ROOT);

  /** Returns the value in the database. */
  public String literal() {
    return literal;
  }

  /**
   * Returns the constant with this value in the database.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Overlap of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
