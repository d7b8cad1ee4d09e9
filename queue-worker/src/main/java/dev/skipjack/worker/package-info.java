/**
 * Runs jobs.
 *
 * <p>A {@link dev.skipjack.worker.Worker} is built from a queue, the handlers of the kinds it
 * knows, and the queues it serves. Started, it is one claim loop that claims batches of due jobs, a
 * bounded buffer for each queue, handler threads, and one flusher that writes outcomes in batches.
 * A heartbeat on a thread of its own renews the leases of everything that was claimed and not yet
 * written; it stops last. A rescuer takes back jobs whose lease has expired, of any worker.
 *
 * <p>The {@link dev.skipjack.worker.LaneOrder} decides which of the due jobs come first.
 *
 * <p>An attempt passes through four classes: {@code AttemptRunner} calls the handler, {@code
 * AttemptEnder} decides by the result how the attempt ends, {@code OutcomeFlusher} collects endings
 * and {@code OutcomeWriter} writes them. Running and writing fail separately: a {@link
 * dev.skipjack.worker.JobHandler} that fails makes a failed attempt; an unavailable database makes
 * an outcome wait, and never fails a job. {@link dev.skipjack.worker.WorkerListener}s receive an
 * event for each step.
 *
 * <p>The module knows ports, not tables: it reaches the database only through {@link
 * dev.skipjack.api.spi.JobStore} and the other ports of that package.
 */
@NullMarked
package dev.skipjack.worker;

import org.jspecify.annotations.NullMarked;
