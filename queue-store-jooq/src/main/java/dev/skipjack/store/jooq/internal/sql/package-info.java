/**
 * Runs statements. A {@link dev.skipjack.store.jooq.internal.sql.Statement} is a text with its
 * binding and its row reader, and {@link dev.skipjack.store.jooq.internal.sql.OwnTransactions} or a
 * {@link dev.skipjack.store.jooq.internal.sql.Session} runs it. {@link
 * dev.skipjack.store.jooq.internal.sql.JobPredicates} and {@link
 * dev.skipjack.store.jooq.internal.sql.PausePredicates} are the conditions that statements of
 * several packages share, and {@link dev.skipjack.store.jooq.internal.sql.LooseScan} finds the
 * groups of an index.
 *
 * <p>Public only so that the queue's other packages and modules can use it; not part of the API.
 * Depends on no other package of the store, and takes table and column names only from the
 * generated model.
 */
@NullMarked
package dev.skipjack.store.jooq.internal.sql;

import org.jspecify.annotations.NullMarked;
