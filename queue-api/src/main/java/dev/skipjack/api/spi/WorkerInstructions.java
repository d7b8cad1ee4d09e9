package dev.skipjack.api.spi;

import java.util.Set;

/**
 * What a worker is told when it gives a sign of life.
 *
 * @param pausedQueues those of its queues that a person has paused
 * @param schemaVersion number of the newest migration of the database
 * @param encoding the database's, as PostgreSQL names it; {@value #UTF8} is the one that stores
 *     every text
 */
public record WorkerInstructions(Set<String> pausedQueues, int schemaVersion, String encoding) {

  /** The encoding that the queue needs. */
  public static final String UTF8 = "UTF8";

  /** Copies the set. */
  public WorkerInstructions {
    pausedQueues = Set.copyOf(pausedQueues);
  }
}
