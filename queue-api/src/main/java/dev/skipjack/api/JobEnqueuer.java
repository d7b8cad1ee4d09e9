package dev.skipjack.api;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Enqueues jobs, in its own transactions or in the caller's, as documented by the method that
 * returns the enqueuer.
 *
 * <p>Payloads are stored as {@code jsonb}, which keeps values but not their notation: names are
 * sorted, only the last of several equal names in an object is kept, numbers are written out
 * ({@code 1E+3} becomes 1000, trailing zeros remain, zero has no sign), and spaces and escapes are
 * removed. Numbers with more than 309 digits before the decimal point or 1,000 after it are
 * refused; so are U+0000, lone surrogates, and more than 100 levels of arrays and objects.
 *
 * <p>All arguments are checked before any SQL, so a caller's transaction stays usable after a
 * refused job. An enqueuer with its own transactions is safe for any number of threads; one that is
 * bound to a transaction must be used by one thread at a time, and only while that transaction is
 * open.
 */
public interface JobEnqueuer {

  /**
   * Enqueues one job.
   *
   * @param payload not null; JSON {@code null} is not a valid payload
   * @return the new job, or the earlier one if the options contain an {@linkplain
   *     EnqueueOptions#idempotencyKey(String) idempotency key} that is known; {@link #enqueueOnce}
   *     also returns which of the two it is
   * @throws PayloadException if the payload cannot be written as JSON, is too large, or contains a
   *     value that PostgreSQL refuses
   */
  <T> JobId enqueue(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options);

  /** Calls {@link #enqueue(JobType, Object, UnaryOperator)} with the type's defaults. */
  default <T> JobId enqueue(JobType<T> type, T payload) {
    return enqueue(type, payload, UnaryOperator.identity());
  }

  /**
   * Enqueues many jobs in one transaction, in statements of at most 1,000 jobs and about 16 MiB of
   * payload.
   *
   * @param payloads may be empty
   * @return the new jobs in the order of their payloads
   * @throws PayloadException as for one job; in that case no job is enqueued
   * @throws IllegalArgumentException if the options contain an idempotency key, because all
   *     payloads would then become one job; use {@link #enqueueAllOnce}
   */
  <T> List<JobId> enqueueAll(
      JobType<T> type, List<T> payloads, UnaryOperator<EnqueueOptions> options);

  /** Calls {@link #enqueueAll(JobType, List, UnaryOperator)} with the type's defaults. */
  default <T> List<JobId> enqueueAll(JobType<T> type, List<T> payloads) {
    return enqueueAll(type, payloads, UnaryOperator.identity());
  }

  /**
   * Enqueues one job unless its idempotency key is known, and returns which of the two happened.
   * Waits for any open transaction that has taken the same key; if that one rolls back, this call
   * creates the job.
   *
   * <pre>{@code
   * EnqueueResult result =
   *     queue.enqueueOnce(CHARGE, payload, job -> job.idempotencyKey("order-" + order.number()));
   * }</pre>
   *
   * <p>In READ COMMITTED a duplicate never causes an exception. In a caller's REPEATABLE READ or
   * SERIALIZABLE transaction PostgreSQL returns 40001 if another transaction committed the key
   * after the caller's snapshot; the error reaches the caller unchanged.
   *
   * @param options set an {@linkplain EnqueueOptions#idempotencyKey(String) idempotency key}
   * @return {@link EnqueueResult.Enqueued} with the new job, or {@link EnqueueResult.AlreadyQueued}
   *     with the job that took the key, which may have ended long ago
   * @throws IllegalArgumentException if there is no key
   * @throws PayloadException as {@link #enqueue}
   */
  <T> EnqueueResult enqueueOnce(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options);

  /**
   * Like {@link #enqueueOnce}, for many jobs in one transaction, in statements of the same sizes as
   * {@link #enqueueAll(JobType, List, UnaryOperator)}. Payloads with equal keys become one job,
   * that of the first. Keys are taken in a fixed order, so two calls that share keys do not
   * deadlock.
   *
   * <pre>{@code
   * queue.enqueueAllOnce(CHARGE, orders, (order, job) -> job.idempotencyKey(order.number()));
   * }</pre>
   *
   * @param payloads may be empty
   * @param options sets an idempotency key for each payload
   * @return the result for each payload, in the order of the payloads; {@link
   *     EnqueueResult.AlreadyQueued} for a payload whose key occurred earlier in the list
   * @throws IllegalArgumentException if a payload has no key; in that case no job is enqueued
   * @throws PayloadException as for one job; in that case no job is enqueued
   */
  <T> List<EnqueueResult> enqueueAllOnce(
      JobType<T> type, List<T> payloads, BiFunction<T, EnqueueOptions, EnqueueOptions> options);
}
