package dev.skipjack.worker;

import dev.skipjack.api.Outcome;

/**
 * Runs the attempts of one kind of job.
 *
 * <p>Called outside any transaction, by up to as many threads at once as the queue's concurrency. A
 * job may run more than once; {@link JobContext#completeIn} makes effects in the queue's own
 * database happen once. A handler should end soon after its thread is interrupted: its lease was
 * lost, its type's timeout has passed, its job was cancelled, or the worker is shutting down.
 *
 * @param <T> the payload
 */
@FunctionalInterface
public interface JobHandler<T> {

  /**
   * Runs one attempt.
   *
   * @param payload decoded for this attempt only
   * @return the outcome of the attempt; null counts as a failure
   * @throws Exception if the attempt failed; as with any other Throwable, the job is retried after
   *     the type's backoff
   */
  Outcome handle(T payload, JobContext context) throws Exception;
}
