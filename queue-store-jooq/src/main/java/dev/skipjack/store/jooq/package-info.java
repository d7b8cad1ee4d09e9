/**
 * Every statement on the queue's tables, and {@link dev.skipjack.store.jooq.JobQueue}, the door for
 * producers.
 *
 * <p>One statement a class, called {@code <Verb>Statement}: written in jOOQ's DSL, rendered once
 * for a schema, and run as constant text by its caller. {@code AttemptCtes} holds what all writes
 * about an attempt share, {@code JobPredicates} the conditions that partial indexes depend on.
 * {@code JooqJobStore} implements the port that workers call, {@code JooqQueueAdmin} the operations
 * of administrators. The read-only queries are in {@code internal.read}, partitions and retention
 * in {@code internal.history}.
 *
 * <p>The statements' own transactions are READ COMMITTED and one statement long; a caller's
 * transaction is used as it is.
 */
@NullMarked
package dev.skipjack.store.jooq;

import org.jspecify.annotations.NullMarked;
