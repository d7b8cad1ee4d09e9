/**
 * Implements the job queue in PostgreSQL. {@link dev.skipjack.store.jooq.JobQueue} is the entry
 * point for applications.
 *
 * <p>Each SQL statement that runs often is a class whose name ends with {@code Statement}. It is
 * written in jOOQ's DSL, rendered once per queue object, and run as constant text. {@code
 * AttemptCtes} contains the parts that heartbeats and the statements that end attempts share, and
 * {@code JobPredicates} the conditions that partial indexes depend on. {@code JooqJobStore}
 * implements the interface that workers use, and {@code JooqQueueAdmin} the administrative
 * operations. Partitions and retention are in {@code internal.history}. The read-only queries are
 * in the module queue-operations.
 *
 * <p>The queue's own transactions are usually READ COMMITTED and consist of one statement. A
 * caller's transaction is used as it is.
 */
@NullMarked
package dev.skipjack.store.jooq;

import org.jspecify.annotations.NullMarked;
