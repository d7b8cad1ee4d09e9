/**
 * The history of jobs: the archive of ended jobs and the audit of attempts, both partitioned.
 * {@link dev.skipjack.store.jooq.internal.history.JooqMaintenance} creates partitions ahead of
 * time, removes those whose retention has ended, and prunes single rows of the others. {@link
 * dev.skipjack.store.jooq.internal.history.PartitionHealing} repeats a write that failed because a
 * partition was missing, and {@link dev.skipjack.store.jooq.internal.history.AuditWeeks} limits a
 * statement to the partitions of its attempts.
 *
 * <p>Public only so that the store can use it; not part of the API.
 */
@NullMarked
package dev.skipjack.store.jooq.internal.history;

import org.jspecify.annotations.NullMarked;
