/**
 * Contains every statement on the queue's tables, and {@link dev.skipjack.store.jooq.JobQueue}, the
 * entry point for producers.
 *
 * <p>Each statement is a class called {@code <Verb>Statement}. It is written in jOOQ's DSL,
 * rendered once per schema, and run as constant text by its caller. {@code AttemptCtes} has the
 * parts that all writes about attempts share, and {@code JobPredicates} the conditions that partial
 * indexes depend on. {@code JooqJobStore} implements the port that workers call, and {@code
 * JooqQueueAdmin} the admin operations. The read-only queries are in {@code internal.read},
 * partitions and retention in {@code internal.history}.
 *
 * <p>The statements' own transactions are READ COMMITTED and one statement long; a caller's
 * transaction is used as it is.
 */
@NullMarked
package dev.skipjack.store.jooq;

import org.jspecify.annotations.NullMarked;
