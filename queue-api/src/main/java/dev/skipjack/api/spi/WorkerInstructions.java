package dev.skipjack.api.spi;

import java.util.Set;

/**
 * The information that a worker receives when it updates its row in the registry.
 *
 * @param pausedQueues the queues of the worker that are paused
 * @param schemaVersion number of the newest migration of the database
 * @param encoding the database's encoding, as PostgreSQL names it; only {@value #UTF8} can store
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
