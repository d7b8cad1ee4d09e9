package dev.skipjack.worker;

import dev.skipjack.api.Outcome;

/**
 * Runs the attempts of one kind of job.
 *
 * <p>Called by as many threads at once as the queue has concurrency, outside any transaction. A job
 * may be delivered more than once; {@link JobContext#completeIn} makes effects in the queue's own
 * database happen once. A handler should end soon after its thread is interrupted: that means that
 * its lease was lost, its type's timeout is over, somebody wants it cancelled, or the worker shuts
 * down.
 *
 * @param <T> the payload
 */
@FunctionalInterface
public interface JobHandler<T> {

  /**
   * Runs one attempt.
   *
   * @param payload as decoded for this attempt alone
   * @return what became of it; null is a failed attempt
   * @throws Exception as a failed attempt, retried as the type's backoff says; any other Throwable
   *     too
   */
  Outcome handle(T payload, JobContext context) throws Exception;
}
