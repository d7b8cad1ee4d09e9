package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Enqueues unique jobs, in a transaction of its own or in the caller's. The method that returns an
 * enqueuer states which.
 *
 * <p>All arguments are checked before any SQL runs, so a rejected job leaves a caller's transaction
 * usable.
 */
public interface UniqueEnqueuer {

  /**
   * Enqueues a job unless another job holds its key. Waits for an open transaction that has
   * enqueued the same key. If the enqueue changes the job that holds the key, it also waits for
   * another transaction that is changing that job; so does an enqueue in a caller's transaction
   * with a key {@code untilStarted}, which keeps the holder from starting.
   *
   * @return the new job, or the job that holds the key and whether it was changed
   * @throws IllegalArgumentException if the key is empty, too long, or contains characters that
   *     PostgreSQL rejects; or if the options have an idempotency key, because a job has one key or
   *     the other
   * @throws dev.skipjack.api.PayloadException if the payload is rejected
   */
  <T> EnqueueResult enqueue(
      JobType<T> type, T payload, Unique<T> unique, UnaryOperator<EnqueueOptions> options);

  /** Like {@link #enqueue(JobType, Object, Unique, UnaryOperator)} with the type's defaults. */
  default <T> EnqueueResult enqueue(JobType<T> type, T payload, Unique<T> unique) {
    return enqueue(type, payload, unique, UnaryOperator.identity());
  }

  /**
   * Enqueues many jobs in one transaction, up to 1,000 per statement. Payloads with equal keys
   * create one job: with the first payload, or with the last if duplicates replace the payload.
   *
   * <p>Keys are taken in a fixed order, so two calls that share keys do not deadlock unless the job
   * that holds one of them is claimed or ends during the call. In that case the server aborts one
   * of the two (40P01): in a transaction of its own the call is repeated, and in a caller's
   * transaction the caller gets the error.
   *
   * @param payloads may be empty
   * @return the result for each payload, in the order of the payloads. A payload whose key occurred
   *     earlier in the list is reported as already queued or, if duplicates change anything, as
   *     replaced.
   * @throws IllegalArgumentException as for one job; in that case no job is enqueued
   * @throws dev.skipjack.api.PayloadException as for one job; in that case no job is enqueued
   */
  <T> List<EnqueueResult> enqueueAll(
      JobType<T> type, List<T> payloads, Unique<T> unique, UnaryOperator<EnqueueOptions> options);

  /** Like {@link #enqueueAll(JobType, List, Unique, UnaryOperator)} with the type's defaults. */
  default <T> List<EnqueueResult> enqueueAll(JobType<T> type, List<T> payloads, Unique<T> unique) {
    return enqueueAll(type, payloads, unique, UnaryOperator.identity());
  }
}
