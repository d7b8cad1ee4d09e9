package dev.skipjack.api;

import dev.skipjack.api.spi.Names;
import java.util.Optional;

/**
 * Which dead jobs are meant. Immutable: every method answers a new one.
 *
 * @param queue only of this queue; empty: of any
 * @param kind only of this kind; empty: of any
 */
public record DeadJobs(Optional<String> queue, Optional<String> kind) {

  /** Every dead job. */
  public static DeadJobs all() {
    return new DeadJobs(Optional.empty(), Optional.empty());
  }

  /** These, but only of {@code queue}. */
  public DeadJobs ofQueue(String queue) {
    return new DeadJobs(Optional.of(Names.requireQueue(queue)), kind);
  }

  /** These, but only of {@code kind}. */
  public DeadJobs ofKind(String kind) {
    return new DeadJobs(queue, Optional.of(Names.requireKind(kind)));
  }
}
