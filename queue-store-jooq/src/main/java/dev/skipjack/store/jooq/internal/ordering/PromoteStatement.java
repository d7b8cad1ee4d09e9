package dev.skipjack.store.jooq.internal.ordering;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectDistinct;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.model.tables.Jobs;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.util.List;
import java.util.Optional;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/**
 * Promotes the next job of each of the given ordering keys that has no head.
 *
 * <pre>{@code
 * WITH headless AS MATERIALIZED (SELECT DISTINCT given.ordering_key FROM unnest(:keys) AS given (ordering_key)
 *                                 WHERE (SELECT id FROM jobs WHERE ordering_key = given.ordering_key AND ordering_head) IS NULL),
 * next AS MATERIALIZED (...), unlocked AS MATERIALIZED (...), promoted AS (...)
 * SELECT queue, priority, kind, scheduled_at <= clock_timestamp() FROM promoted
 * }</pre>
 *
 * <p>{@link Promotion} explains the other parts. After this statement's snapshot, another
 * transaction may promote a different job of the key. The unique index of the heads then rejects
 * this statement with 23505, and the caller repeats it. The statement waits for an open transaction
 * that has promoted a job of the key, and therefore runs with a short {@code lock_timeout}. A
 * worker whose jobs run in a caller's transaction runs it there, without this limit.
 *
 * <p>A scalar subquery checks whether a key has a head, because the planner would turn NOT EXISTS
 * into a join with all heads. Locks waiting jobs in key order, without waiting.
 */
final class PromoteStatement {

  private PromoteStatement() {}

  /**
   * Creates the statement. It returns a wake-up for each promoted job that is due, and an empty
   * result for each one that is not.
   */
  static Statement<List<String>, Optional<WakeUp>> of(DSLContext dialect) {
    ArrayRows given = ArrayRows.named("given").column("ordering_key", Texts.array("keys"));
    Field<String> key = given.field("ordering_key", String.class);
    Jobs head = JOBS.as("head");
    CommonTableExpression<?> headless =
        name("headless")
            .asMaterialized(
                selectDistinct(key)
                    .from(given.table())
                    .where(
                        field(
                                select(head.ID)
                                    .from(head)
                                    .where(head.ORDERING_KEY.eq(key))
                                    .and(condition(head.ORDERING_HEAD)))
                            .isNull()));
    CommonTableExpression<?> next = Promotion.next(headless);
    CommonTableExpression<?> unlocked = Promotion.unlocked(next);
    CommonTableExpression<?> promoted = Promotion.promoted(unlocked);
    Field<String> queue = field(name("promoted", "queue"), SQLDataType.CLOB);
    Field<Short> priority = field(name("promoted", "priority"), SQLDataType.SMALLINT);
    Field<String> kind = field(name("promoted", "kind"), SQLDataType.CLOB);
    Field<Boolean> isDue =
        field(field(name("promoted", "scheduled_at"), SQLDataType.INSTANT).le(DatabaseClock.NOW));
    return Statement.of(
        dialect,
        with(headless, next, unlocked, promoted)
            .select(queue, priority, kind, isDue)
            .from(promoted),
        keys -> new Arguments().texts("keys", keys, each -> each),
        row ->
            row.flag(isDue)
                ? Optional.of(
                    new WakeUp(new Lane(row.text(queue), row.integer(priority)), row.text(kind)))
                : Optional.empty());
  }
}
