package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Enqueues unique jobs. The method that returns an enqueuer documents whether it uses its own
 * transactions or a caller's transaction.
 *
 * <p>All arguments are checked before any SQL is sent, so the caller's transaction remains usable
 * after a job has been rejected.
 */
public interface UniqueEnqueuer {

  /**
   * Enqueues a job unless another job holds its key. If an open transaction has enqueued a job with
   * the same key, this method waits for it. The enqueue locks the job that holds the key if it
   * changes that job, or if it runs in a caller's transaction and the key is held {@code
   * untilStarted}. In both cases, it may also wait for another transaction that is changing the
   * job.
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @param payload the payload, from which the key is computed
   * @param unique how jobs are unique
   * @param options sets what differs from the defaults of the type
   * @return the new job, or the job that holds the key and whether it was changed
   * @throws IllegalArgumentException if the key is empty, is too long, or contains characters that
   *     PostgreSQL rejects, or if the options contain an idempotency key, because a job cannot have
   *     both
   * @throws dev.skipjack.api.PayloadException if the payload is rejected
   */
  <T> EnqueueResult enqueue(
      JobType<T> type, T payload, Unique<T> unique, UnaryOperator<EnqueueOptions> options);

  /**
   * Enqueues a job with the defaults of its type unless another job holds its key.
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @param payload the payload, from which the key is computed
   * @param unique how jobs are unique
   * @return the new job, or the one that holds the key
   */
  default <T> EnqueueResult enqueue(JobType<T> type, T payload, Unique<T> unique) {
    return enqueue(type, payload, unique, UnaryOperator.identity());
  }

  /**
   * Enqueues several jobs in one transaction, except those whose key is held by another job. Each
   * statement writes at most 1,000 jobs. Payloads with equal keys become one job, which has the
   * first of the payloads or, if duplicates replace the payload, the last.
   *
   * <p>Keys are locked in a fixed order, so concurrent calls with common keys do not deadlock,
   * unless a job that holds one of the keys is claimed or ends during a call, or a caller's
   * transaction makes several calls. In these cases, the server may abort one of the transactions
   * (40P01). The queue repeats its own transactions, but in a caller's transaction the error is
   * propagated to the caller.
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @param payloads the payloads of the jobs; may be empty
   * @param unique how jobs are unique
   * @param options sets what differs from the defaults of the type
   * @return the result for each payload, in the order of the payloads. A payload whose key occurs
   *     earlier in the list is reported as already queued or, if duplicates change the job, as
   *     replaced
   * @throws IllegalArgumentException if a key or the options are invalid, as for a single job; in
   *     that case, no job is enqueued
   * @throws dev.skipjack.api.PayloadException if a payload is rejected; in that case, no job is
   *     enqueued
   */
  <T> List<EnqueueResult> enqueueAll(
      JobType<T> type, List<T> payloads, Unique<T> unique, UnaryOperator<EnqueueOptions> options);

  /**
   * Enqueues several jobs with the defaults of their type, as {@link #enqueueAll(JobType, List,
   * Unique, UnaryOperator)} does with options.
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @param payloads the payloads of the jobs; may be empty
   * @param unique how jobs are unique
   * @return the result for each payload, in the order of the payloads
   */
  default <T> List<EnqueueResult> enqueueAll(JobType<T> type, List<T> payloads, Unique<T> unique) {
    return enqueueAll(type, payloads, unique, UnaryOperator.identity());
  }
}
