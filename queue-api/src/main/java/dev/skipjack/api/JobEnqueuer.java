package dev.skipjack.api;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Puts jobs into the queue, in a transaction of its own or in the caller's: whoever hands one out
 * says which.
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
   * @return the new job
   * @throws PayloadException if the payload cannot be written as JSON, is too large, or holds what
   *     PostgreSQL refuses
   */
  <T> JobId enqueue(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options);

  /** As {@link #enqueue(JobType, Object, UnaryOperator)} with the type's defaults. */
  default <T> JobId enqueue(JobType<T> type, T payload) {
    return enqueue(type, payload, UnaryOperator.identity());
  }

  /**
   * Enqueues many jobs in one transaction, 1,000 a statement.
   *
   * @param payloads may be empty
   * @return the new jobs in the order of their payloads
   * @throws PayloadException as for one job; none is enqueued then
   */
  <T> List<JobId> enqueueAll(
      JobType<T> type, List<T> payloads, UnaryOperator<EnqueueOptions> options);

  /** As {@link #enqueueAll(JobType, List, UnaryOperator)} with the type's defaults. */
  default <T> List<JobId> enqueueAll(JobType<T> type, List<T> payloads) {
    return enqueueAll(type, payloads, UnaryOperator.identity());
  }
}
