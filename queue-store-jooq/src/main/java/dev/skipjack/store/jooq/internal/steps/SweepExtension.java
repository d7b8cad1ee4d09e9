package dev.skipjack.store.jooq.internal.steps;

import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.spi.Sweeper;

/**
 * Adds the periodic work of a module to the workers of a queue. {@link java.util.ServiceLoader}
 * finds the implementations on the class path.
 */
@FunctionalInterface
public interface SweepExtension {

  /**
   * Creates the work for one queue.
   *
   * @param queue the queue
   * @param store runs the statements
   * @return the work, which all workers of the queue in this process share
   */
  Sweeper sweeper(QueueAccess queue, StoreParts store);
}
