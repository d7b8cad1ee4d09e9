package dev.skipjack.api;

import java.util.Locale;

/**
 * Determines what happens to the jobs that wait behind a dead job of their ordering key. The type
 * of the job sets the policy. An operator can override it for a queue at any time.
 */
public enum OrderingPolicy {
  /**
   * The key is blocked: the jobs wait until the dead job is redriven, unblocked or pruned. This is
   * the default, because only this policy keeps the order.
   */
  BLOCK,
  /** The next job runs. The dead job remains, and a redrive puts it behind the key's other jobs. */
  SKIP,
  /**
   * Waiting jobs become dead as well if they were created before the head of the key became dead.
   * When no such job is left, the key is freed and its other jobs run. A job also runs if it was
   * enqueued before that, but its transaction committed only after the key was freed.
   */
  PARK;

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
  public static OrderingPolicy of(String literal) {
    return valueOf(literal.toUpperCase(Locale.ROOT));
  }
}
