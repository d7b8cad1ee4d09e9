package dev.skipjack.store.jooq.internal.ordering;

import org.jspecify.annotations.Nullable;

/**
 * The result of a command for a job.
 *
 * @param orderingKey the ordering key whose next job must be promoted, because the command moved or
 *     deleted the job; null if there is none
 * @param owner the owner that must be checked, because the command ended the job; null if there is
 *     none
 */
public record KeyedResult<R>(R result, @Nullable String orderingKey, @Nullable Long owner) {

  /** Creates the result of a command that ends no job. */
  public KeyedResult(R result, @Nullable String orderingKey) {
    this(result, orderingKey, null);
  }
}
