/**
 * Runs producers, workers and relays in separate processes, injects the faults that occur in
 * production, and checks the outcome of every job and event.
 *
 * <p>{@link dev.skipjack.torture.Torture} starts the processes. Each uses only the public API and
 * appends to a history file what it is about to do and what was returned. Meanwhile, a seeded
 * schedule injects faults. Then all faults are removed, the queue drains, and the database is read
 * once. The checker is a pure function of the histories and that final read. docs/reliability.md
 * defines its counters.
 */
@NullMarked
package dev.skipjack.torture;

import org.jspecify.annotations.NullMarked;
