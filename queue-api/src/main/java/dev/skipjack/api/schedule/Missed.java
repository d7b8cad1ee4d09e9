package dev.skipjack.api.schedule;

import java.util.Locale;

/**
 * Determines what happens to planned times that were missed because no worker was running. A
 * planned time counts as missed if it is more than two minutes ago or if the next planned time has
 * also been reached.
 *
 * @param policy the policy for missed times
 * @param maximum the maximum number of missed times for which {@link Policy#ALL} enqueues jobs,
 *     from 1 to {@link #LARGEST}; 1 for the other policies
 */
public record Missed(Policy policy, int maximum) {

  /** The largest value for the maximum of {@link #all}. */
  public static final int LARGEST = 10_000;

  /** The policies for missed times. */
  public enum Policy {
    /** No job is enqueued for missed times. */
    SKIP,
    /** One job is enqueued, for the latest missed time. */
    ONCE,
    /** One job is enqueued for each missed time, the oldest first. */
    ALL;

    private final String literal = name().toLowerCase(Locale.ROOT);

    /** {@return the value that represents this policy in the database} */
    public String literal() {
      return literal;
    }

    /**
     * {@return the policy that a database value represents}
     *
     * @param literal the value in the database
     * @throws IllegalArgumentException if no policy has this value
     */
    public static Policy of(String literal) {
      return valueOf(literal.toUpperCase(Locale.ROOT));
    }
  }

  /**
   * Checks the maximum.
   *
   * @param policy the policy
   * @param maximum the maximum number of missed times for which jobs are enqueued
   */
  public Missed {
    if (policy != Policy.ALL && maximum != 1) {
      throw new IllegalArgumentException(
          "Maximum %d of missed times is not 1, which policy %s requires."
              .formatted(maximum, policy));
    }
    if (maximum < 1 || maximum > LARGEST) {
      throw new IllegalArgumentException(
          "Maximum %d of missed times is not in 1..%d.".formatted(maximum, LARGEST));
    }
  }

  /** {@return the rule that enqueues no job for missed times} */
  public static Missed skip() {
    return new Missed(Policy.SKIP, 1);
  }

  /** {@return the rule that enqueues one job, for the latest missed time} */
  public static Missed once() {
    return new Missed(Policy.ONCE, 1);
  }

  /**
   * {@return the rule that enqueues one job for each missed time, the oldest first} If more than
   * {@code maximum} times were missed, the oldest of them are skipped.
   *
   * @param maximum the maximum number of jobs, from 1 to {@link #LARGEST}
   */
  public static Missed all(int maximum) {
    return new Missed(Policy.ALL, maximum);
  }
}
