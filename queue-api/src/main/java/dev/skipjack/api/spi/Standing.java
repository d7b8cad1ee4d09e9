package dev.skipjack.api.spi;

import java.util.Set;

/**
 * What a worker is told when it gives a sign of life.
 *
 * @param pausedQueues those of its queues that a person has paused
 * @param schemaVersion number of the newest migration of the database
 */
public record Standing(Set<String> pausedQueues, int schemaVersion) {

  /** Copies the set. */
  public Standing {
    pausedQueues = Set.copyOf(pausedQueues);
  }
}
