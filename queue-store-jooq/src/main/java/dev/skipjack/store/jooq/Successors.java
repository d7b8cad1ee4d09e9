package dev.skipjack.store.jooq;

import dev.skipjack.store.jooq.internal.ordering.JooqOrderedJobs;
import dev.skipjack.store.jooq.internal.ordering.KeyedResult;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Acts on what waits for jobs that a command has moved or ended: the next jobs of their ordering
 * keys, and their owners. Safe for any number of threads.
 *
 * @param checkOwners receives the owners of ended jobs after the commit, and does not throw
 */
record Successors(JooqOrderedJobs orderedJobs, Consumer<Set<Long>> checkOwners) {

  /** Acts on the results of a command, and returns them without keys and owners. */
  <R> List<R> passOn(List<KeyedResult<R>> results) {
    Set<Long> owners =
        results.stream()
            .map(KeyedResult::owner)
            .filter(Objects::nonNull)
            .collect(Collectors.toCollection(TreeSet::new));
    List<R> passed = orderedJobs.passOn(results);
    if (!owners.isEmpty()) {
      checkOwners.accept(owners);
    }
    return passed;
  }
}
