/**
 * Producers and workers in processes of their own, the faults that production has, and a verdict
 * about every single job.
 *
 * <p>{@link dev.skipjack.torture.Torture} starts the processes; each knows the public API only and
 * appends to a history file what it is about to do and what it was told. A seeded schedule of
 * faults strikes meanwhile. Then all is healed, the queue drains, and the database is read once.
 * The checker is a pure function of the histories and that final read. docs/reliability.md tells
 * what its counters mean.
 */
@NullMarked
package dev.skipjack.torture;

import org.jspecify.annotations.NullMarked;
