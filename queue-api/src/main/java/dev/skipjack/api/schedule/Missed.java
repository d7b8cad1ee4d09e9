package dev.skipjack.api.schedule;

import java.util.Locale;

/**
 * What happens to fires that were missed because no worker ran. A fire is missed if it is more than
 * two minutes late, or if the fire after it is due as well.
 *
 * @param policy what happens
 * @param maximum how many missed fires {@link Policy#ALL} makes up for at most, 1 to {@link
 *     #LARGEST}; 1 for the other policies
 */
public record Missed(Policy policy, int maximum) {

  /** The largest maximum of {@link #all}. */
  public static final int LARGEST = 10_000;

  /** What happens to missed fires. */
  public enum Policy {
    /** They are left out. */
    SKIP,
    /** The latest of them enqueues one job. */
    ONCE,
    /** Each of them enqueues a job, the oldest first. */
    ALL;

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
    public static Policy of(String literal) {
      return valueOf(literal.toUpperCase(Locale.ROOT));
    }
  }

  /** Checks the maximum. */
  public Missed {
    if (maximum < 1 || maximum > LARGEST) {
      throw new IllegalArgumentException(
          "Maximum %d of missed fires is not in 1..%d.".formatted(maximum, LARGEST));
    }
  }

  /** Returns the rule that leaves missed fires out. */
  public static Missed skip() {
    return new Missed(Policy.SKIP, 1);
  }

  /** Returns the rule that enqueues one job for all missed fires: that of the latest. */
  public static Missed once() {
    return new Missed(Policy.ONCE, 1);
  }

  /**
   * Returns the rule that enqueues a job for each missed fire, the oldest first. If there are more
   * than {@code maximum}, the oldest are left out.
   *
   * @param maximum 1 to {@link #LARGEST}
   */
  public static Missed all(int maximum) {
    return new Missed(Policy.ALL, maximum);
  }
}
