/**
 * Moves jobs that wait in another queue of the same database into Skipjack.
 *
 * <p>{@link dev.skipjack.importing.Importer#plan} only reads, and reports how many jobs and
 * schedules the rows would become, and which rows would stay and why. {@link
 * dev.skipjack.importing.Importer#run} moves the rows in batches. One transaction deletes a row, if
 * it has not changed since it was read, and enqueues the job, so that at any time exactly one of
 * the two queues has the job. Running jobs stay, and end in the other queue. A row that cannot be
 * moved never stops the others.
 *
 * <p>The libraries of the other queues are not needed. Their tables are read with JDBC, and jobs
 * are enqueued by the SQL function {@code enqueue}, so payloads must be JSON, whatever codec the
 * application uses.
 */
@NullMarked
package dev.skipjack.importing;

import org.jspecify.annotations.NullMarked;
