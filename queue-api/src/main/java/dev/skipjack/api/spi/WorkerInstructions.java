package dev.skipjack.api.spi;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The information that a worker receives when it updates its row in the registry.
 *
 * @param pausedQueues the worker's queues that are paused
 * @param schemaVersion the number of the newest migration applied to the database
 * @param encoding the encoding of the database, as PostgreSQL names it; only {@value #UTF8} can
 *     store every text
 * @param nextFireIn the time until the next schedule is due; zero or negative if a schedule is due
 *     already, null if none will become due
 * @param depthsDue whether no worker has called {@link WorkerRegistry#addDepths} in this minute
 * @param operationsDue whether {@link Maintenance#continueOperations} has work to do
 */
public record WorkerInstructions(
    Set<String> pausedQueues,
    int schemaVersion,
    String encoding,
    @Nullable Duration nextFireIn,
    boolean depthsDue,
    boolean operationsDue) {

  /** The encoding that the queue requires. */
  public static final String UTF8 = "UTF8";

  /**
   * Makes a defensive copy of the set.
   *
   * @param pausedQueues the queues that are paused
   * @param schemaVersion the version of the schema
   * @param encoding the encoding of the database
   * @param nextFireIn the time until a schedule is due
   * @param depthsDue whether the depths of this minute are missing
   * @param operationsDue whether operations must be continued
   */
  public WorkerInstructions {
    pausedQueues = Set.copyOf(pausedQueues);
  }
}
