package dev.skipjack.store.jooq;

import dev.skipjack.api.spi.Execution;
import java.util.List;
import java.util.stream.Stream;

/**
 * The parts that a statement adds to the end of jobs. Each combination has a text of its own, so
 * that jobs that need none of them cost nothing more.
 *
 * @param ordered whether the next job of each ordering key is promoted
 * @param owned whether the owner is copied to the archive, and owned jobs are archived even if
 *     their queue keeps no ended jobs
 */
record EndParts(boolean ordered, boolean owned) {

  static final EndParts NONE = new EndParts(false, false);
  static final EndParts ORDERED = new EndParts(true, false);
  static final EndParts OWNED = new EndParts(false, true);

  /** Returns the parts that the job of an execution needs. */
  static EndParts of(Execution execution) {
    return new EndParts(execution.isOrdered(), execution.isOwned());
  }

  /** Returns the parts that any of the jobs needs. */
  static EndParts of(Stream<Execution> executions) {
    boolean ordered = false;
    boolean owned = false;
    for (Execution execution : (Iterable<Execution>) executions::iterator) {
      ordered |= execution.isOrdered();
      owned |= execution.isOwned();
    }
    return new EndParts(ordered, owned);
  }

  /** Returns these parts for a statement whose caller promotes the next jobs. */
  EndParts unordered() {
    return owned ? OWNED : NONE;
  }

  /** Returns all combinations. */
  static List<EndParts> all() {
    return List.of(NONE, ORDERED, OWNED, new EndParts(true, true));
  }
}
