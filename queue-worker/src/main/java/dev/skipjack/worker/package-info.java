/**
 * Runs jobs.
 *
 * <p>A {@link dev.skipjack.worker.Worker} is built from a queue, the handlers of the kinds it
 * knows, and the queues it serves. A started worker consists of one claim loop that claims batches
 * of due jobs, a bounded buffer for each queue, handler threads, and one flusher that writes
 * outcomes in batches. A heartbeat on its own thread renews the leases of all attempts that were
 * claimed and whose outcome is not yet written; it stops last. A rescuer takes back jobs whose
 * lease has expired, whichever worker held them.
 *
 * <p>The {@link dev.skipjack.worker.LaneOrder} decides which of the due jobs come first.
 *
 * <p>An attempt passes through four classes: {@code AttemptRunner} calls the handler, {@code
 * AttemptEnder} decides from the result how the attempt ends, {@code OutcomeFlusher} collects
 * endings and {@code OutcomeWriter} writes them. Running and writing fail separately: a {@link
 * dev.skipjack.worker.JobHandler} that fails causes a failed attempt. An unavailable database
 * delays an outcome and never fails a job. {@link dev.skipjack.worker.WorkerListener}s receive an
 * event for each step.
 *
 * <p>The module knows ports, not tables: it reaches the database only through {@link
 * dev.skipjack.api.spi.JobStore} and the other ports of that package.
 */
@NullMarked
package dev.skipjack.worker;

import org.jspecify.annotations.NullMarked;
