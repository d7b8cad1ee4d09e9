package dev.skipjack.api;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Puts jobs into the queue, in a transaction of its own or in the caller's: whoever hands one out
 * says which.
 *
 * <p>Payloads are stored as {@code jsonb}, which keeps values and not their spelling: names are
 * sorted, of equal names in an object the last stays, numbers are written out ({@code 1E+3} becomes
 * 1000, zeros at the end stay, zero has no sign), spaces and escapes are gone. A number of more
 * than 309 digits before its point or 1,000 behind it is refused; so are U+0000, lone surrogates,
 * and more than 100 arrays and objects inside one another.
 *
 * <p>Every check of the arguments comes before any SQL, so a refused job leaves a caller's
 * transaction usable. An enqueuer of its own transactions is safe for any number of threads; one
 * that is bound to a transaction belongs to that transaction.
 */
public interface JobEnqueuer {

  /**
   * Enqueues one job.
   *
   * @param payload not null; JSON {@code null} is no payload
   * @return the new job; or the earlier one, when the options hold an {@linkplain
   *     EnqueueOptions#idempotencyKey(String) idempotency key} that is known. {@link #enqueueOnce}
   *     tells which
   * @throws PayloadException if the payload cannot be written as JSON, is too large, or holds what
   *     PostgreSQL refuses
   */
  <T> JobId enqueue(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options);

  /** As {@link #enqueue(JobType, Object, UnaryOperator)} with the type's defaults. */
  default <T> JobId enqueue(JobType<T> type, T payload) {
    return enqueue(type, payload, UnaryOperator.identity());
  }

  /**
   * Enqueues many jobs in one transaction, in statements of at most 1,000 jobs and about 16 MiB of
   * payload.
   *
   * @param payloads may be empty
   * @return the new jobs in the order of their payloads
   * @throws PayloadException as for one job; none is enqueued then
   * @throws IllegalArgumentException if the options hold an idempotency key: one key would make one
   *     job of all payloads. Use {@link #enqueueAllOnce}
   */
  <T> List<JobId> enqueueAll(
      JobType<T> type, List<T> payloads, UnaryOperator<EnqueueOptions> options);

  /** As {@link #enqueueAll(JobType, List, UnaryOperator)} with the type's defaults. */
  default <T> List<JobId> enqueueAll(JobType<T> type, List<T> payloads) {
    return enqueueAll(type, payloads, UnaryOperator.identity());
  }

  /**
   * Enqueues one job unless its idempotency key is known, and says which. Waits for a transaction
   * that has taken the same key and has not ended; if it rolls back, this one creates the job.
   *
   * <pre>{@code
   * EnqueueResult result =
   *     queue.enqueueOnce(CHARGE, payload, job -> job.idempotencyKey("order-" + order.number()));
   * }</pre>
   *
   * <p>In READ COMMITTED there is never an exception for a duplicate. In a caller's REPEATABLE READ
   * or SERIALIZABLE transaction PostgreSQL answers 40001 when the rival committed after the
   * caller's snapshot; it reaches the caller unchanged.
   *
   * @param options set an {@linkplain EnqueueOptions#idempotencyKey(String) idempotency key}
   * @return {@link EnqueueResult.Enqueued} with the new job, or {@link EnqueueResult.AlreadyQueued}
   *     with the one that took the key, which may be done long since
   * @throws IllegalArgumentException if there is no key
   * @throws PayloadException as {@link #enqueue}
   */
  <T> EnqueueResult enqueueOnce(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options);

  /**
   * As {@link #enqueueOnce} for many jobs in one transaction, in statements of the same sizes as
   * {@link #enqueueAll(JobType, List, UnaryOperator)}. Payloads whose keys are equal are one job:
   * that of the first. Keys are taken in one order, so two calls that share keys do not deadlock.
   *
   * <pre>{@code
   * queue.enqueueAllOnce(CHARGE, orders, (order, job) -> job.idempotencyKey(order.number()));
   * }</pre>
   *
   * @param payloads may be empty
   * @param options sets an idempotency key for each payload
   * @return what became of each payload, in their order; a payload whose key stood earlier in the
   *     list is {@link EnqueueResult.AlreadyQueued}
   * @throws IllegalArgumentException if one has no key; none is enqueued then
   * @throws PayloadException as for one job; none is enqueued then
   */
  <T> List<EnqueueResult> enqueueAllOnce(
      JobType<T> type, List<T> payloads, BiFunction<T, EnqueueOptions, EnqueueOptions> options);
}
