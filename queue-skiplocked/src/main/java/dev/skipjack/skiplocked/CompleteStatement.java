package dev.skipjack.skiplocked;

import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Name;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.ResultQuery;
import org.jooq.UpdateSetMoreStep;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Changes the rows of a lease and removes it, if all of them still have its token.
 *
 * <pre>{@code
 * WITH held AS MATERIALIZED (
 *   SELECT given.position, seat.tableoid AS source, seat.row, seat.number
 *     FROM seat, unnest(...) WITH ORDINALITY AS given (key_1, key_2, position)
 *    WHERE seat.row = given.key_1 AND seat.number = given.key_2 AND held_by = :token
 *    ORDER BY seat.row, seat.number
 *      FOR NO KEY UPDATE OF seat),
 * completed AS (
 *   UPDATE seat
 *      SET held_until = NULL, held_by = NULL, status = 'sold', ...
 *     FROM held
 *    WHERE seat.row = held.row AND seat.number = held.number AND seat.tableoid = held.source
 *      AND (SELECT count(DISTINCT position) FROM held) = 2
 *   RETURNING 1)
 * SELECT position FROM held
 * }</pre>
 *
 * <p>The rows are locked before the first is changed, so that the statement can determine whether
 * it holds all of them. The order of the locks keeps two of these statements from deadlocking.
 */
final class CompleteStatement {

  private static final Name HELD = DSL.name("skiplocked_held");
  private static final Field<Long> POSITION =
      DSL.field(DSL.name("skiplocked_position"), SQLDataType.BIGINT);

  private CompleteStatement() {}

  /**
   * Returns the positions in {@code leased}, from 1, of the rows that have the token. The rows were
   * changed only if all of them have it.
   */
  static <R extends Record> Set<Long> run(
      DSLContext db,
      ClaimedTable<R> source,
      LeaseColumns<?> columns,
      LeasedRows<R> leased,
      UUID token,
      UnaryOperator<UpdateSetMoreStep<R>> changes) {
    return Set.copyOf(
        render(db, source, columns, leased, token, changes)
            // A lower maximum in the caller's settings would make held rows look lost.
            .maxRows(leased.rows().size())
            .fetch(POSITION));
  }

  static <R extends Record> ResultQuery<Record1<Long>> render(
      DSLContext db,
      ClaimedTable<R> source,
      LeaseColumns<?> columns,
      LeasedRows<R> leased,
      UUID token,
      UnaryOperator<UpdateSetMoreStep<R>> changes) {
    CommonTableExpression<Record> held =
        HELD.asMaterialized(
            DSL.select(LeasedRows.position().as(POSITION))
                .select(FreeRows.sourceOf(source).as(FreeRows.SOURCE))
                .select(source.key())
                .from(source.table())
                .crossJoin(leased.given())
                .where(leased.isGiven(source))
                .and(columns.isHeldBy(token))
                .orderBy(source.key())
                .forNoKeyUpdate()
                .of(source.table()));
    Field<Integer> number = DSL.field(DSL.select(DSL.countDistinct(POSITION)).from(held));
    CommonTableExpression<?> completed =
        DSL.name("skiplocked_completed")
            .as(
                changes
                    .apply(columns.clear(DSL.update(source.table())))
                    .from(held)
                    .where(source.keyMatches(HELD))
                    .and(FreeRows.sourceOf(source).eq(FreeRows.sourceIn(HELD)))
                    .and(number.eq(leased.rows().size()))
                    .returning(DSL.inline(1)));
    return db.with(held).with(completed).selectDistinct(POSITION).from(held);
  }
}
