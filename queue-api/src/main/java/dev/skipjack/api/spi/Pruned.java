package dev.skipjack.api.spi;

import java.util.List;

/**
 * The result of {@link Maintenance#prune}.
 *
 * @param keys the number of expired idempotency keys and keys for a period that were deleted
 * @param jobs the number of dead jobs that were deleted
 * @param unfinished whether the call returned before it had finished, so that it should be repeated
 * @param failed descriptions of what could not be pruned and why, one sentence each; everything
 *     else was pruned
 */
public record Pruned(long keys, long jobs, boolean unfinished, List<String> failed) {

  /** Makes a defensive copy of the list. */
  public Pruned {
    failed = List.copyOf(failed);
  }

  /** Creates a result without failures. */
  public Pruned(long keys, long jobs, boolean unfinished) {
    this(keys, jobs, unfinished, List.of());
  }
}
