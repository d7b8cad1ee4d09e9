package dev.skipjack.store.jooq.internal.ordering;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.model.tables.Jobs;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * Finds ordering keys that have waiting jobs but no head, in key order.
 *
 * <pre>{@code
 * WITH RECURSIVE waiting AS (
 *     SELECT * FROM (SELECT ordering_key, 1 FROM jobs WHERE status = 'waiting' AND ordering_key > :after
 *                     ORDER BY ordering_key, coalesce(ordering_position, id) LIMIT 1) AS first
 *   UNION ALL
 *     SELECT next.ordering_key, waiting.number + 1 FROM waiting CROSS JOIN LATERAL (
 *            SELECT ordering_key FROM jobs WHERE status = 'waiting' AND ordering_key > waiting.ordering_key
 *             ORDER BY ordering_key, coalesce(ordering_position, id) LIMIT 1) AS next
 *      WHERE waiting.number < :limit)
 * SELECT ordering_key, is_headless, number FROM (
 *        SELECT ordering_key, number, (SELECT id FROM jobs WHERE ordering_key = waiting.ordering_key AND ordering_head) IS NULL AS is_headless
 *          FROM waiting) AS found
 *  WHERE is_headless OR number = 1 OR number = :limit
 * }</pre>
 *
 * <p>The recursion jumps from key to key in the index of waiting jobs, and reads two entries for
 * each key. The first key is always returned, to show that jobs are waiting. The key with the
 * number {@code :limit} is always returned, so that the next search can continue there. Locks
 * nothing.
 */
final class FindHeadlessKeysStatement {

  private static final Param<Long> LIMIT = param("limit", Long.class);
  private static final Field<Long> NUMBER = field(name("waiting", "number"), Long.class);
  private static final Field<String> KEY = field(name("waiting", "ordering_key"), SQLDataType.CLOB);

  private FindHeadlessKeysStatement() {}

  /**
   * The keys to search.
   *
   * @param after the key after which the search begins; empty for the first
   */
  record Request(String after, int limit) {}

  /**
   * A key with waiting jobs.
   *
   * @param number the number of the key among those that were searched, from 1
   */
  record Found(String key, boolean isHeadless, int number) {}

  static Statement<Request, Found> of(DSLContext dialect) {
    Jobs head = JOBS.as("head");
    Table<?> found =
        select(
                KEY,
                NUMBER,
                field(
                        field(
                                select(head.ID)
                                    .from(head)
                                    .where(head.ORDERING_KEY.eq(KEY))
                                    .and(condition(head.ORDERING_HEAD)))
                            .isNull())
                    .as("is_headless"))
            .from(table(name("waiting")))
            .asTable("found");
    Field<String> key = field(name("found", "ordering_key"), SQLDataType.CLOB);
    Field<Long> number = field(name("found", "number"), Long.class);
    Field<Boolean> isHeadless = field(name("found", "is_headless"), Boolean.class);
    return Statement.of(
        dialect,
        withRecursive(waiting())
            .select(key, isHeadless, number)
            .from(found)
            .where(condition(isHeadless).or(number.eq(inline(1L))).or(number.eq(LIMIT))),
        request -> new Arguments().text("after", request.after()).number("limit", request.limit()),
        row -> new Found(row.text(key), row.flag(isHeadless), (int) row.number(number)));
  }

  private static CommonTableExpression<?> waiting() {
    Table<?> first = firstAfter(Texts.param("after")).asTable("first");
    Table<?> next = firstAfter(KEY).asTable("next");
    return name("waiting")
        .fields("ordering_key", "number")
        .as(
            select(Promotion.keyOf(first), inline(1L))
                .from(first)
                .unionAll(
                    select(Promotion.keyOf(next), NUMBER.plus(inline(1L)))
                        .from(table(name("waiting")))
                        .crossJoin(lateral(next))
                        .where(NUMBER.lt(LIMIT))));
  }

  private static Select<?> firstAfter(Field<String> key) {
    return select(JOBS.ORDERING_KEY)
        .from(JOBS)
        .where(JobPredicates.WAITING)
        .and(JOBS.ORDERING_KEY.gt(key))
        .orderBy(JOBS.ORDERING_KEY, Promotion.POSITION)
        .limit(inline(1));
  }
}
