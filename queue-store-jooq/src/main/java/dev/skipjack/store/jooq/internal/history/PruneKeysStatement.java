package dev.skipjack.store.jooq.internal.history;

import static dev.skipjack.model.Tables.JOB_KEYS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.with;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;

/**
 * Deletes expired keys of {@code job_keys}.
 *
 * <pre>{@code
 * WITH expired AS MATERIALIZED (SELECT key FROM job_keys WHERE expires_at <= now()
 *                                ORDER BY expires_at LIMIT :batch FOR UPDATE SKIP LOCKED),
 *      pruned AS (DELETE FROM job_keys WHERE key = ANY (ARRAY(SELECT key FROM expired)) RETURNING key)
 * SELECT count(*) FROM pruned
 * }</pre>
 *
 * <p>It skips locked keys, so a key that an enqueue is taking over is not deleted. It therefore
 * cannot deadlock with an enqueue, although an enqueue locks in key order and this statement in the
 * order of expiry.
 */
final class PruneKeysStatement {

  private static final Param<Long> BATCH = param("batch", Long.class);

  private static final Field<Integer> PRUNED = count();

  private PruneKeysStatement() {}

  /**
   * Creates the statement. Its request is the maximum number of keys to delete, and its result the
   * number of deleted keys.
   */
  static Statement<Integer, Integer> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        query(),
        batch -> new Arguments().number("batch", batch),
        row -> row.integer(PRUNED));
  }

  private static ResultQuery<?> query() {
    CommonTableExpression<?> expired =
        name("expired")
            .asMaterialized(
                select(JOB_KEYS.KEY)
                    .from(JOB_KEYS)
                    .where(JOB_KEYS.EXPIRES_AT.le(DatabaseClock.TRANSACTION_START))
                    .orderBy(JOB_KEYS.EXPIRES_AT)
                    .limit(BATCH)
                    .forUpdate()
                    .skipLocked());
    Field<String> key = expired.field(JOB_KEYS.KEY);
    CommonTableExpression<?> pruned =
        name("pruned")
            .as(
                deleteFrom(JOB_KEYS)
                    .where(JOB_KEYS.KEY.eq(any(array(select(key).from(expired)))))
                    .returning(JOB_KEYS.KEY));
    return with(expired, pruned).select(PRUNED).from(table(name("pruned")));
  }
}
