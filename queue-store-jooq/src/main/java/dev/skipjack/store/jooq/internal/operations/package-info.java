/**
 * Changes many jobs by filter. {@link
 * dev.skipjack.store.jooq.internal.operations.JooqJobOperations} lists the jobs with the reader,
 * changes them with the administrative operations, and keeps the progress in {@code
 * job_operations}.
 *
 * <p>Public only so that the store can use it; not part of the API. Depends on {@code internal.sql}
 * alone.
 */
@NullMarked
package dev.skipjack.store.jooq.internal.operations;

import org.jspecify.annotations.NullMarked;
