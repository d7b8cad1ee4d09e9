package dev.skipjack.api.spi;

import java.util.Locale;

/** What frees a unique key. */
public enum UniqueUntil {
  /** The first claim. */
  STARTED,
  /** Death, or the end. */
  DEAD,
  /** The end only: a dead job keeps its key. */
  ENDED;

  private final String literal = name().toLowerCase(Locale.ROOT);

  /** The word in the database. */
  public String literal() {
    return literal;
  }

  /**
   * The one with this word.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static UniqueUntil of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
