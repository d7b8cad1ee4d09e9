package dev.skipjack.api.operations;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Due jobs of a queue, or of one of its groups, that a limit or the pause of their group holds
 * back.
 *
 * @param queue the queue
 * @param group the group; null if the jobs of all groups are held, or if {@code cause} concerns a
 *     group and these are the jobs without one
 * @param cause the cause that holds the jobs
 * @param limit the name of the queue's limit; null if it has none
 * @param running the number of running jobs of the limit, or of the group; 0 for a paused group
 * @param most the number of running jobs, or of starts in a period, that is allowed; null for a
 *     paused group, and for a throttle of a limit without a rate
 * @param opensAt when the next job may start, by the database clock; null unless {@code cause} is a
 *     rate
 * @param due the number of due jobs that are held, counted up to {@value #DUE_COUNTED}
 */
public record HeldLane(
    String queue,
    @Nullable String group,
    Cause cause,
    @Nullable String limit,
    int running,
    @Nullable Integer most,
    @Nullable Instant opensAt,
    int due) {

  /** The number up to which held jobs are counted. */
  public static final int DUE_COUNTED = 1_000;

  /** The cause that holds due jobs back. */
  public enum Cause {
    /** As many jobs run as the limit allows in all. */
    RUNNING,
    /** As many jobs of the group run as the limit or the settings of the group allow. */
    RUNNING_OF_GROUP,
    /** The rate of the limit, or a throttle of it, allows no start yet. */
    RATE,
    /** The rate that each group has for itself, or a throttle of the group, allows no start yet. */
    RATE_OF_GROUP,
    /** The group is paused. */
    GROUP_PAUSED
  }
}
