package dev.skipjack.api.schedule;

import java.util.Locale;

/** What created a schedule. */
public enum ScheduleOrigin {
  /** A declaration in code. */
  CODE,
  /** An operator, at run time. */
  OPERATOR;

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
  public static ScheduleOrigin of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
