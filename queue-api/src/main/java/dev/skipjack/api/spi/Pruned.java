package dev.skipjack.api.spi;

import java.util.List;

/**
 * The result of {@link Maintenance#prune}.
 *
 * @param keys number of deleted idempotency keys and keys for a period that had expired
 * @param jobs number of deleted dead jobs
 * @param unfinished whether the call ended before it had processed everything; if so, call again
 * @param failed what could not be pruned and why, one sentence each; the rest was pruned
 */
public record Pruned(long keys, long jobs, boolean unfinished, List<String> failed) {

  /** Copies the list. */
  public Pruned {
    failed = List.copyOf(failed);
  }

  /** Creates a result without failures. */
  public Pruned(long keys, long jobs, boolean unfinished) {
    this(keys, jobs, unfinished, List.of());
  }
}
