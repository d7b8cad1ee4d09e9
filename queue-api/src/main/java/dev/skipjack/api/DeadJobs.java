package dev.skipjack.api;

import dev.skipjack.api.spi.Names;
import java.util.Optional;

/**
 * A filter for dead jobs. Immutable: every method returns a new instance.
 *
 * @param queue only jobs of this queue; empty for any
 * @param kind only jobs of this kind; empty for any
 */
public record DeadJobs(Optional<String> queue, Optional<String> kind) {

  /** Matches every dead job. */
  public static DeadJobs all() {
    return new DeadJobs(Optional.empty(), Optional.empty());
  }

  /** Returns this filter, limited to {@code queue}. */
  public DeadJobs ofQueue(String queue) {
    return new DeadJobs(Optional.of(Names.requireQueue(queue)), kind);
  }

  /** Returns this filter, limited to {@code kind}. */
  public DeadJobs ofKind(String kind) {
    return new DeadJobs(queue, Optional.of(Names.requireKind(kind)));
  }
}
