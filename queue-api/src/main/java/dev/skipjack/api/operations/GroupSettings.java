package dev.skipjack.api.operations;

import java.util.OptionalInt;

/**
 * The settings of one group of a queue that differs from the other groups. Instances are immutable;
 * methods that change a setting return a new instance.
 *
 * @param weight the group's share of the starts relative to the other groups of its queue and
 *     priority, from 1 to {@link #LARGEST_WEIGHT}. While all of them have due jobs, a group of
 *     weight 3 starts three jobs for each job of a group of weight 1
 * @param maxRunning the maximum number of jobs of the group that run at the same time, from 0;
 *     empty for that of the queue's limit
 */
public record GroupSettings(int weight, OptionalInt maxRunning) {

  /** The largest weight: 100. */
  public static final int LARGEST_WEIGHT = 100;

  private static final GroupSettings DEFAULTS = new GroupSettings(1, OptionalInt.empty());

  /**
   * Checks the settings.
   *
   * @param weight the weight
   * @param maxRunning the maximum number of running jobs
   * @throws IllegalArgumentException if a number is out of range
   */
  public GroupSettings {
    if (weight < 1 || weight > LARGEST_WEIGHT) {
      throw new IllegalArgumentException(
          "Weight %d is not in 1..%d. To stop the group, pause it."
              .formatted(weight, LARGEST_WEIGHT));
    }
    maxRunning.ifPresent(most -> Limit.requireRunning("Max running", most));
  }

  /** {@return the settings of every group that has none of its own: a weight of 1} */
  public static GroupSettings defaults() {
    return DEFAULTS;
  }

  /**
   * Sets the weight of the group.
   *
   * @param weight the weight, from 1 to {@link #LARGEST_WEIGHT}
   * @return a copy with this change
   */
  public GroupSettings weight(int weight) {
    return new GroupSettings(weight, maxRunning);
  }

  /**
   * Sets the maximum number of jobs of the group that run at the same time. It replaces {@link
   * Limit#maxRunningPerGroup} of the queue's limit, upwards or downwards.
   *
   * @param most the maximum, from 0
   * @return a copy with this change
   */
  public GroupSettings maxRunning(int most) {
    return new GroupSettings(weight, OptionalInt.of(most));
  }
}
