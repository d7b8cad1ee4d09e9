package dev.skipjack.api.operations;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state and settings of a group that has been configured or paused at run time.
 *
 * @param queue the queue
 * @param group the name of the group
 * @param settings the settings
 * @param pausedAt when the group was paused; null if it is not paused
 * @param updatedAt when a setting last changed
 */
public record GroupState(
    String queue,
    String group,
    GroupSettings settings,
    @Nullable Instant pausedAt,
    Instant updatedAt) {

  /** {@return whether the group is paused} */
  public boolean paused() {
    return pausedAt != null;
  }
}
