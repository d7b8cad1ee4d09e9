package dev.skipjack.api.spi;

import java.util.List;

/**
 * What {@link Maintenance#prune} did.
 *
 * @param keys idempotency keys and keys of periods that were deleted because they were over
 * @param jobs dead jobs that were deleted
 * @param unfinished whether the call ended before it had met everything: call again
 * @param failed what could not be pruned and why, a sentence each; the rest was pruned
 */
public record Pruned(long keys, long jobs, boolean unfinished, List<String> failed) {

  /** Copies the list. */
  public Pruned {
    failed = List.copyOf(failed);
  }

  /** One in which nothing failed. */
  public Pruned(long keys, long jobs, boolean unfinished) {
    this(keys, jobs, unfinished, List.of());
  }
}
