package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import java.util.function.UnaryOperator;

/**
 * Enqueues unique jobs, in a transaction of its own or in the caller's: whoever hands one out says
 * which.
 */
public interface UniqueEnqueuer {

  /**
   * Enqueues a job unless a live one holds its key. Waits for a transaction that has enqueued the
   * same key and has not ended.
   *
   * @return the new job, or the one that holds the key
   * @throws IllegalArgumentException if the key is empty, too long, or holds what PostgreSQL
   *     refuses; or if the options hold an idempotency key, because a job has one key or the other
   * @throws dev.skipjack.api.PayloadException if the payload is refused
   */
  <T> EnqueueResult enqueue(
      JobType<T> type, T payload, Unique<T> unique, UnaryOperator<EnqueueOptions> options);

  /** As {@link #enqueue(JobType, Object, Unique, UnaryOperator)} with the type's defaults. */
  default <T> EnqueueResult enqueue(JobType<T> type, T payload, Unique<T> unique) {
    return enqueue(type, payload, unique, UnaryOperator.identity());
  }
}
