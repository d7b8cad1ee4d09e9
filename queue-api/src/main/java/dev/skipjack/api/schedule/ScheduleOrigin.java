package dev.skipjack.api.schedule;

import java.util.Locale;

/** The origin of a schedule. */
public enum ScheduleOrigin {
  /** The schedule was declared in code. */
  CODE,
  /** The schedule was created by an operator at run time. */
  OPERATOR;

  private final String literal = name().toLowerCase(Locale.ROOT);

  /** {@return the value that represents this origin in the database} */
  public String literal() {
    return literal;
  }

  /**
   * {@return the origin that a database value represents}
   *
   * @param literal the value in the database
   * @throws IllegalArgumentException if no origin has this value
   */
  public static ScheduleOrigin of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
