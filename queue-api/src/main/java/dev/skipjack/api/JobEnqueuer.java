package dev.skipjack.api;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Enqueues jobs. An enqueuer either runs its own transactions or takes part in the caller's
 * transaction, as documented by the method that returns it.
 *
 * <p>Payloads are stored as {@code jsonb}, which preserves values but not their notation. Names are
 * sorted, and only the last of several equal names in an object is kept. Numbers are written
 * without an exponent ({@code 1E+3} becomes 1000), with their trailing zeros, and zero has no sign.
 * White space and escapes are removed. A payload is rejected if it contains U+0000, a lone
 * surrogate or more than 100 nested levels of arrays and objects. A number may have at most 309
 * digits before and 1,000 digits after the decimal point.
 *
 * <p>All arguments are checked before any SQL is sent, so the caller's transaction remains usable
 * after a job has been rejected. An enqueuer that runs its own transactions is thread-safe. An
 * enqueuer that is bound to a transaction must be used by only one thread at a time, and only while
 * that transaction is open.
 */
public interface JobEnqueuer {

  /**
   * Enqueues a job.
   *
   * @param <T> the type of the payload
   * @param type the job's type
   * @param payload the payload; neither null nor an object that the codec writes as JSON {@code
   *     null}
   * @param options sets what differs from the defaults of the type
   * @return the id of the new job, or of the earlier job if the options contain an {@linkplain
   *     EnqueueOptions#idempotencyKey(String) idempotency key} that has been used before. To
   *     distinguish the two, call {@link #enqueueOnce}
   * @throws PayloadException if the payload cannot be encoded as JSON, is too large, or contains a
   *     value that PostgreSQL rejects
   */
  <T> JobId enqueue(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options);

  /**
   * Enqueues a job with the defaults of its type.
   *
   * @param <T> the type of the payload
   * @param type the job's type
   * @param payload the payload
   * @return the id of the new job
   */
  default <T> JobId enqueue(JobType<T> type, T payload) {
    return enqueue(type, payload, UnaryOperator.identity());
  }

  /**
   * Enqueues several jobs in one transaction. Each statement inserts at most 1,000 jobs and about
   * 16 MiB of payloads.
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @param payloads the payloads of the jobs; may be empty
   * @param options sets what differs from the defaults of the type
   * @return the ids of the new jobs, in the order of the payloads
   * @throws PayloadException if a payload is rejected, as by {@link #enqueue(JobType, Object,
   *     UnaryOperator)}; in that case, no job is enqueued
   * @throws IllegalArgumentException if the options contain an idempotency key, because all jobs
   *     would share it; use {@link #enqueueAllOnce} instead
   */
  <T> List<JobId> enqueueAll(
      JobType<T> type, List<T> payloads, UnaryOperator<EnqueueOptions> options);

  /**
   * Enqueues several jobs with the defaults of their type.
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @param payloads the payloads
   * @return the ids of the new jobs, in order
   */
  default <T> List<JobId> enqueueAll(JobType<T> type, List<T> payloads) {
    return enqueueAll(type, payloads, UnaryOperator.identity());
  }

  /**
   * Enqueues a job unless its idempotency key has been used before. The result indicates whether
   * the job is new. If an open transaction has used the same key, this call waits for it, and
   * creates the job if that transaction rolls back.
   *
   * <pre>{@code
   * EnqueueResult result =
   *     queue.enqueueOnce(CHARGE, payload, job -> job.idempotencyKey("order-" + order.number()));
   * }</pre>
   *
   * <p>At READ COMMITTED, a duplicate causes no exception, unless the wait for another transaction
   * exceeds {@code lock_timeout}. In its own transactions, an enqueuer sets it to 30 seconds if the
   * role has no such limit. In a caller's REPEATABLE READ or SERIALIZABLE transaction, PostgreSQL
   * reports a serialization failure (40001) if another transaction has committed the key since the
   * caller's snapshot. The exception is propagated to the caller unchanged.
   *
   * @param <T> the type of the payload
   * @param type the job's type
   * @param payload the payload
   * @param options must set an {@linkplain EnqueueOptions#idempotencyKey(String) idempotency key}
   * @return {@link EnqueueResult.Enqueued} with the new job, or {@link EnqueueResult.AlreadyQueued}
   *     with the job that used the key first, which may have ended long ago
   * @throws IllegalArgumentException if the options contain no idempotency key
   * @throws PayloadException if the payload is rejected, as by {@link #enqueue(JobType, Object,
   *     UnaryOperator)}
   */
  <T> EnqueueResult enqueueOnce(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options);

  /**
   * Enqueues several jobs in one transaction, except those whose idempotency key has been used
   * before. If several payloads have the same key, only the first of them becomes a job. Keys are
   * locked in a fixed order, so concurrent calls with common keys do not deadlock. The statements
   * have the same maximum size as those of {@link #enqueueAll(JobType, List, UnaryOperator)}.
   *
   * <pre>{@code
   * queue.enqueueAllOnce(CHARGE, orders, (order, job) -> job.idempotencyKey(order.number()));
   * }</pre>
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @param payloads the payloads of the jobs; may be empty
   * @param options must set an idempotency key for each payload
   * @return the result for each payload, in the order of the payloads. A payload whose key occurs
   *     earlier in the list has the result {@link EnqueueResult.AlreadyQueued}
   * @throws IllegalArgumentException if a payload has no key; in that case, no job is enqueued
   * @throws PayloadException if a payload is rejected; in that case, no job is enqueued
   */
  <T> List<EnqueueResult> enqueueAllOnce(
      JobType<T> type, List<T> payloads, BiFunction<T, EnqueueOptions, EnqueueOptions> options);
}
