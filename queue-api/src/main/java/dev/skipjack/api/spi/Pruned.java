package dev.skipjack.api.spi;

import java.util.List;

/**
 * The result of {@link Maintenance#prune}.
 *
 * @param keys the number of expired keys that were deleted: idempotency keys, unique keys that were
 *     kept for a period, and keys of planned times
 * @param jobs the number of dead jobs that were deleted
 * @param unfinished whether the call returned before it had finished and should be repeated
 * @param failed one sentence for each step that failed, stating the reason; the other steps were
 *     not affected
 */
public record Pruned(long keys, long jobs, boolean unfinished, List<String> failed) {

  /**
   * Makes a defensive copy of the list.
   *
   * @param keys the number of expired keys that were deleted
   * @param jobs the number of dead jobs that were deleted
   * @param unfinished whether more remains to be done
   * @param failed what failed
   */
  public Pruned {
    failed = List.copyOf(failed);
  }

  /**
   * Creates a result without failures.
   *
   * @param keys the number of expired keys that were deleted
   * @param jobs the number of dead jobs that were deleted
   * @param unfinished whether more remains to be done
   */
  public Pruned(long keys, long jobs, boolean unfinished) {
    this(keys, jobs, unfinished, List.of());
  }
}
