package dev.skipjack.api.spi;

import java.util.Locale;

/** The event that releases a unique key. */
public enum UniqueUntil {
  /** The job is claimed for the first time. */
  STARTED,
  /** The job becomes dead or ends. */
  DEAD,
  /** The job ends; a dead job keeps its key. */
  ENDED;

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
  public static UniqueUntil of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
