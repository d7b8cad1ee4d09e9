package dev.skipjack.worker;

import dev.skipjack.api.Outcome;

/**
 * Runs the jobs of one kind.
 *
 * <p>The worker calls it outside any transaction. The queue's concurrency limits how many of its
 * jobs a worker runs at once; stuck handlers do not count. A job may run more than once. With
 * {@link JobContext#completeIn}, effects in the same transaction happen exactly once. A handler
 * should end soon after its thread is interrupted. The worker interrupts the thread if the lease is
 * lost, the timeout has passed, the job is cancelled, or the worker is shutting down.
 *
 * @param <T> the type of the payload
 */
@FunctionalInterface
public interface Handler<T> {

  /**
   * Runs one attempt.
   *
   * @param payload the payload, decoded for this attempt only
   * @param context the context of the attempt
   * @return the outcome of the attempt; null counts as a failure
   * @throws Exception if the attempt failed; the type's failure rules, backoff and maximum number
   *     of attempts determine whether and when the job is retried. Any other Throwable has the same
   *     effect
   */
  Outcome handle(T payload, JobContext context) throws Exception;
}
