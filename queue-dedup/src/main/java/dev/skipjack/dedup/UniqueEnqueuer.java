package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Enqueues unique jobs, in a transaction of its own or in the caller's: whoever hands one out says
 * which.
 *
 * <p>Every check of the arguments comes before any SQL, so a refused job leaves a caller's
 * transaction usable.
 */
public interface UniqueEnqueuer {

  /**
   * Enqueues a job unless another holds its key. Waits for a transaction that has enqueued the same
   * key and has not ended. If the enqueue changes the job that holds the key, or holds it still,
   * which only a key {@code untilStarted} in a caller's transaction does, it waits for one that
   * changes it too.
   *
   * @return the new job, or the one that holds the key, and whether it was changed
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

  /**
   * Enqueues many jobs in one transaction, up to 1,000 a statement. Payloads whose keys are equal
   * make one job: of the first payload, or of the last if a duplicate replaces the payload.
   *
   * <p>Keys are taken in one order, so two such calls that share keys do not wait for each other in
   * a circle, unless a key changes hands during the call. The server ends one of the two then
   * (40P01): in a transaction of its own the call is repeated, in a caller's the error reaches the
   * caller.
   *
   * @param payloads may be empty
   * @return the result for each payload, in their order. One whose key occurred earlier in the list
   *     is already queued or, if a duplicate changes anything, replaced.
   * @throws IllegalArgumentException as for one job; none is enqueued then
   * @throws dev.skipjack.api.PayloadException as for one job; none is enqueued then
   */
  <T> List<EnqueueResult> enqueueAll(
      JobType<T> type, List<T> payloads, Unique<T> unique, UnaryOperator<EnqueueOptions> options);

  /** As {@link #enqueueAll(JobType, List, Unique, UnaryOperator)} with the type's defaults. */
  default <T> List<EnqueueResult> enqueueAll(JobType<T> type, List<T> payloads, Unique<T> unique) {
    return enqueueAll(type, payloads, unique, UnaryOperator.identity());
  }
}
