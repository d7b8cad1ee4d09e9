package dev.skipjack.api.operations;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * A limit on the jobs of one or more queues: how many may run at the same time, and how often they
 * may start. It applies to all workers together. Instances are immutable; methods that change a
 * number return a new instance.
 *
 * <p>{@link QueueAdmin#limit} stores it under a name, and {@link QueueSettings#limitedBy} makes a
 * queue obey it. Queues with the same limit are counted together.
 *
 * <pre>{@code
 * Limit stripe = Limit.none().running(50).runningPerGroup(3).rate(Rate.bucket(100, ofSeconds(1)));
 * }</pre>
 *
 * @param maxRunning the maximum number of jobs that run at the same time, from 0, which prevents
 *     every start; empty for any number
 * @param maxRunningPerGroup the maximum number of jobs of each group that run at the same time,
 *     from 0; empty for any number. Jobs without a group form one group. {@link
 *     GroupSettings#maxRunning} overrides it for a group
 * @param rate the maximum rate of starts; empty for any rate
 */
public record Limit(OptionalInt maxRunning, OptionalInt maxRunningPerGroup, Optional<Rate> rate) {

  private static final Limit NONE =
      new Limit(OptionalInt.empty(), OptionalInt.empty(), Optional.empty());

  /**
   * Checks the numbers.
   *
   * @param maxRunning the maximum number of running jobs
   * @param maxRunningPerGroup the maximum number of running jobs of each group
   * @param rate the maximum rate of starts
   * @throws IllegalArgumentException if a number is negative
   */
  public Limit {
    maxRunning.ifPresent(most -> requireRunning("Max running", most));
    maxRunningPerGroup.ifPresent(most -> requireRunning("Max running per group", most));
  }

  static int requireRunning(String what, int most) {
    if (most < 0) {
      throw new IllegalArgumentException(
          "%s %d is negative. Use 0 to prevent every start, or leave it out for no maximum."
              .formatted(what, most));
    }
    return most;
  }

  /** {@return a limit without numbers, which holds no job} */
  public static Limit none() {
    return NONE;
  }

  /**
   * Sets the maximum number of jobs that run at the same time. A lower number than before applies
   * to the next start; running jobs are not stopped.
   *
   * @param most the maximum, from 0; 0 prevents every start
   * @return a copy with this change
   */
  public Limit running(int most) {
    return new Limit(OptionalInt.of(most), maxRunningPerGroup, rate);
  }

  /**
   * Sets the maximum number of jobs of each group that run at the same time.
   *
   * @param most the maximum, from 0; 0 prevents every start
   * @return a copy with this change
   */
  public Limit runningPerGroup(int most) {
    return new Limit(maxRunning, OptionalInt.of(most), rate);
  }

  /**
   * Sets the maximum rate of starts.
   *
   * @param rate the rate
   * @return a copy with this change
   */
  public Limit rate(Rate rate) {
    return new Limit(maxRunning, maxRunningPerGroup, Optional.of(rate));
  }
}
