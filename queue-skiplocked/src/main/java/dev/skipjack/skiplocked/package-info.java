/**
 * Claims rows of your own tables, so that concurrent transactions get different rows and none waits
 * for another.
 *
 * <p>{@link dev.skipjack.skiplocked.SkipLocked#on} starts a claim on a typed jOOQ table. {@link
 * dev.skipjack.skiplocked.RowClaim} locks rows until the caller's transaction ends. With {@link
 * dev.skipjack.skiplocked.RowClaim#lease}, it writes a lease into two columns of the table instead,
 * so that rows stay claimed after the commit, until the lease is completed, released or expires.
 * Every write of a {@link dev.skipjack.skiplocked.RowLease} is fenced by the token of its claim.
 *
 * <p>No query plan can claim more rows than the limit: the rows are chosen and locked in a
 * materialized CTE, which PostgreSQL executes once. The module needs none of the queue's tables and
 * depends on jOOQ only.
 */
@NullMarked
package dev.skipjack.skiplocked;

import org.jspecify.annotations.NullMarked;
