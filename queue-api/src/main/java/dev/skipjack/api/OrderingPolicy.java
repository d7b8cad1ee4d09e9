package dev.skipjack.api;

import java.util.Locale;

/**
 * What happens to the jobs behind a dead job of their ordering key. The type of the job sets the
 * policy; an operator can override it for a queue at any time.
 */
public enum OrderingPolicy {
  /**
   * The key is blocked: the jobs wait until the dead job is redriven, unblocked or pruned. This is
   * the default, because only this policy keeps the order.
   */
  BLOCK,
  /** The next job runs. The dead job remains, and a redrive puts it at the back of the key. */
  SKIP,
  /**
   * The waiting jobs that were created before the death become dead as well. Jobs that were created
   * later run when all of those are dead.
   */
  PARK;

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
  public static OrderingPolicy of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
