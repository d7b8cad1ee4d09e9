/**
 * Claims jobs and runs their handlers.
 *
 * <p>A {@link dev.skipjack.worker.Worker} is built from a job queue, the handlers of the kinds it
 * runs, and the names of the queues it serves. A started worker consists of a loop that claims due
 * jobs in batches, a bounded buffer for each queue, the threads of the handlers, and a flusher that
 * writes outcomes in batches. A heartbeat on a dedicated thread renews the leases of all attempts
 * from the claim until the outcome is written. It stops only after the flusher. A rescuer rescues
 * jobs whose lease has expired.
 *
 * <p>The {@link dev.skipjack.worker.LaneOrder} decides which due jobs are served first.
 *
 * <p>An attempt passes through four classes: {@code AttemptRunner} calls the handler, {@code
 * AttemptEnder} decides from the result how the attempt ends, {@code OutcomeFlusher} collects
 * endings, and {@code OutcomeWriter} writes them. If a {@link dev.skipjack.worker.Handler} fails,
 * its attempt fails. If the database is unavailable, outcomes are written later and no job fails.
 * {@link dev.skipjack.worker.WorkerListener}s receive an event for each step.
 *
 * <p>The module contains no SQL. It uses the database only through {@link
 * dev.skipjack.api.spi.JobStore} and the other interfaces of that package.
 */
@NullMarked
package dev.skipjack.worker;

import org.jspecify.annotations.NullMarked;
