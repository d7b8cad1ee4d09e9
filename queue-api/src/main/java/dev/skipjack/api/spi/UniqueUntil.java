package dev.skipjack.api.spi;

import java.util.Locale;

/** The event that frees a unique key. */
public enum UniqueUntil {
  /** The first claim of the job. */
  STARTED,
  /** The job becomes dead or ends. */
  DEAD,
  /** The job ends; a dead job keeps its key. */
  ENDED;

  private final String literal = name().toLowerCase(Locale.ROOT);

  /** The value in the database. */
  public String literal() {
    return literal;
  }

  /**
   * Returns the constant with this value in the database.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static UniqueUntil of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
