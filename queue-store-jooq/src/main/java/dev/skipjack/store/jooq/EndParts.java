package dev.skipjack.store.jooq;

import dev.skipjack.api.spi.Execution;
import java.util.List;
import java.util.stream.Stream;

/**
 * The parts that a statement adds to the end of attempts. Each combination has a text of its own,
 * so that jobs that need none of them cost nothing more.
 *
 * @param ordered whether the next job of each ordering key is promoted
 * @param owned whether the owner is copied to the archive, and owned jobs are archived even if
 *     their queue keeps no ended jobs
 * @param steps whether durable steps are archived, and undos enqueued. Such jobs are few, so this
 *     includes the other parts
 */
record EndParts(boolean ordered, boolean owned, boolean steps) {

  static final EndParts NONE = new EndParts(false, false, false);
  static final EndParts ORDERED = new EndParts(true, false, false);
  static final EndParts OWNED = new EndParts(false, true, false);
  static final EndParts ALL = new EndParts(true, true, true);

  private static final EndParts ORDERED_AND_OWNED = new EndParts(true, true, false);

  /** Returns the parts that the job of an execution needs. */
  static EndParts of(Execution execution) {
    return of(Stream.of(execution));
  }

  /** Returns the parts that any of the jobs needs. */
  static EndParts of(Stream<Execution> executions) {
    boolean ordered = false;
    boolean owned = false;
    boolean steps = false;
    for (Execution execution : (Iterable<Execution>) executions::iterator) {
      ordered |= execution.isOrdered();
      owned |= execution.isOwned();
      steps |= execution.hasSteps();
    }
    if (steps) {
      return ALL;
    }
    if (owned) {
      return ordered ? ORDERED_AND_OWNED : OWNED;
    }
    return ordered ? ORDERED : NONE;
  }

  /** Returns these parts for a statement whose caller promotes the next jobs. */
  EndParts unordered() {
    if (steps) {
      return this;
    }
    return owned ? OWNED : NONE;
  }

  /** Returns all combinations. */
  static List<EndParts> all() {
    return List.of(NONE, ORDERED, OWNED, ORDERED_AND_OWNED, ALL);
  }
}
