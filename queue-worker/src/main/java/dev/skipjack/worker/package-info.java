/**
 * Runs jobs.
 *
 * <p>A {@link dev.skipjack.worker.Worker} is built from a queue, the handlers of the kinds it
 * knows, and the queues it serves. Started, it is one fetcher that claims batches of due jobs, a
 * bounded buffer for each queue, handler threads, and one flusher that writes outcomes in batches.
 * A heartbeat on a thread of its own renews the leases of everything that was claimed and not yet
 * written; it stops last. A rescuer takes back jobs whose lease ran out, whoever held them.
 *
 * <p>Which of the due jobs come first is the {@link dev.skipjack.worker.LaneOrder}'s to say.
 *
 * <p>A handler's answer and the write of that answer are different things: a {@link
 * dev.skipjack.worker.JobHandler} that fails makes a failed attempt; a database that cannot be
 * reached makes an outcome wait, and never fails a job. What happens is told to {@link
 * dev.skipjack.worker.WorkerListener}s.
 *
 * <p>The module knows ports, not tables: everything it asks of the database is a method of {@link
 * dev.skipjack.api.spi.JobStore}.
 */
@NullMarked
package dev.skipjack.worker;

import org.jspecify.annotations.NullMarked;
