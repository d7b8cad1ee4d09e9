/**
 * The history of jobs: the archive of those that ended and the audit of attempts, both in
 * partitions. {@link dev.skipjack.store.jooq.internal.history.JooqMaintenance} creates partitions
 * ahead of time, removes those whose retention has ended, and prunes single rows where whole
 * partitions must stay. {@link dev.skipjack.store.jooq.internal.history.PartitionHealing} repeats a
 * write that met a missing partition, and {@link
 * dev.skipjack.store.jooq.internal.history.AuditWeeks} limits a statement to the partitions of the
 * attempts it is about.
 *
 * <p>Public only so that the store can use it; not API. Depends on {@code internal.sql} alone.
 */
@NullMarked
package dev.skipjack.store.jooq.internal.history;

import org.jspecify.annotations.NullMarked;
