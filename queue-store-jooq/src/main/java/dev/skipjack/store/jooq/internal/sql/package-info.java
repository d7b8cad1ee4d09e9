/**
 * Running statements: a {@link dev.skipjack.store.jooq.internal.sql.Statement} is a text with its
 * binding and its row reader, and {@link dev.skipjack.store.jooq.internal.sql.OwnTransactions} or a
 * {@link dev.skipjack.store.jooq.internal.sql.Session} runs it. Public only so that the queue's
 * other packages and modules can use it; not API. Knows no table but through the generated model.
 */
@NullMarked
package dev.skipjack.store.jooq.internal.sql;

import org.jspecify.annotations.NullMarked;
