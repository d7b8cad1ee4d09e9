package dev.skipjack.api.operations;

import dev.skipjack.api.spi.Names;
import java.util.Optional;

/**
 * A filter for dead jobs. Instances are immutable.
 *
 * @param queue the queue of the jobs; empty for any queue
 * @param kind the kind of the jobs; empty for any kind
 */
public record DeadJobs(Optional<String> queue, Optional<String> kind) {

  /** {@return a filter that matches every dead job} */
  public static DeadJobs all() {
    return new DeadJobs(Optional.empty(), Optional.empty());
  }

  /**
   * {@return this filter, restricted to jobs of {@code queue}}
   *
   * @param queue the name of the queue
   */
  public DeadJobs ofQueue(String queue) {
    return new DeadJobs(Optional.of(Names.requireQueue(queue)), kind);
  }

  /**
   * {@return this filter, restricted to jobs of {@code kind}}
   *
   * @param kind the kind of the job
   */
  public DeadJobs ofKind(String kind) {
    return new DeadJobs(queue, Optional.of(Names.requireKind(kind)));
  }
}
