package dev.skipjack.store.jooq.internal.ordering;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.with;

import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.JobPredicates;
import dev.skipjack.store.jooq.internal.sql.Statement;
import dev.skipjack.store.jooq.internal.sql.Texts;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;

/**
 * Takes ordering keys from their dead heads, which remain dead. The caller then promotes the next
 * jobs.
 *
 * <pre>{@code
 * WITH unlocked AS MATERIALIZED (SELECT id FROM jobs WHERE ordering_key = ANY (:keys) AND ordering_head AND status = 'dead'
 *                                 ORDER BY ordering_key FOR NO KEY UPDATE SKIP LOCKED),
 * released AS (UPDATE jobs SET ordering_head = NULL, updated_at = clock_timestamp()
 *               WHERE id = ANY (ARRAY(SELECT id FROM unlocked)) RETURNING ordering_key)
 * SELECT ordering_key FROM released
 * }</pre>
 *
 * <p>Locks heads in key order, without waiting. A head that is redriven in the meantime keeps its
 * key.
 */
final class ReleaseStatement {

  private ReleaseStatement() {}

  /** Creates the statement. It returns the keys that were released. */
  static Statement<List<String>, String> of(DSLContext dialect) {
    CommonTableExpression<?> unlocked =
        name("unlocked")
            .asMaterialized(
                select(JOBS.ID)
                    .from(JOBS)
                    .where(JOBS.ORDERING_KEY.eq(any(Texts.array("keys"))))
                    .and(Promotion.HEAD)
                    .and(JobPredicates.DEAD)
                    .orderBy(JOBS.ORDERING_KEY)
                    .forNoKeyUpdate()
                    .skipLocked());
    CommonTableExpression<?> released =
        name("released")
            .as(
                update(JOBS)
                    .set(JOBS.ORDERING_HEAD, castNull(JOBS.ORDERING_HEAD))
                    .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                    .where(
                        JOBS.ID.eq(
                            any(
                                array(
                                    select(field(name("unlocked", "id"), Long.class))
                                        .from(unlocked)))))
                    .returning(JOBS.ORDERING_KEY));
    return Statement.of(
        dialect,
        with(unlocked, released).select(Promotion.keyOf(released)).from(released),
        keys -> new Arguments().texts("keys", keys, key -> key),
        row -> row.text(Promotion.keyOf(released)));
  }
}
