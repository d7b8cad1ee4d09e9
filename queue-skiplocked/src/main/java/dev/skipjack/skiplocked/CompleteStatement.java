package dev.skipjack.skiplocked;

import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Name;
import org.jooq.Record;
import org.jooq.UpdateSetMoreStep;
import org.jooq.impl.DSL;

/**
 * Changes the rows of a lease and removes it, if all of them still have its token.
 *
 * <pre>{@code
 * WITH held AS MATERIALIZED (
 *   SELECT row, number FROM seat
 *    WHERE (row, number) IN (...) AND held_by = :token
 *    ORDER BY row, number
 *      FOR NO KEY UPDATE),
 * completed AS (
 *   UPDATE seat
 *      SET held_until = NULL, held_by = NULL, status = 'sold', ...
 *     FROM held
 *    WHERE seat.row = held.row AND seat.number = held.number AND (SELECT count(*) FROM held) = 2
 *   RETURNING 1)
 * SELECT row, number FROM held
 * }</pre>
 *
 * <p>The rows are locked before the first is changed, so that the statement can determine whether
 * it holds all of them. The order of the locks keeps two of these statements from deadlocking.
 */
final class CompleteStatement {

  private static final Name HELD = DSL.name("skiplocked_held");

  private CompleteStatement() {}

  /**
   * Returns the keys of the rows that have the token. The rows were changed only if all of them
   * have it.
   */
  static <R extends Record> List<Record> run(
      DSLContext db,
      ClaimedTable<R> source,
      LeaseColumns<?> columns,
      Collection<Record> keys,
      UUID token,
      UnaryOperator<UpdateSetMoreStep<R>> changes) {
    CommonTableExpression<Record> held =
        HELD.asMaterialized(
            DSL.select(source.key())
                .from(source.table())
                .where(source.hasKeyIn(keys))
                .and(columns.isHeldBy(token))
                .orderBy(source.key())
                .forNoKeyUpdate());
    Field<Integer> number = DSL.field(DSL.selectCount().from(held));
    CommonTableExpression<?> completed =
        DSL.name("skiplocked_completed")
            .as(
                changes
                    .apply(columns.clear(DSL.update(source.table())))
                    .from(held)
                    .where(source.keyMatches(HELD))
                    .and(number.eq(keys.size()))
                    .returning(DSL.inline(1)));
    return List.copyOf(
        db.with(held)
            .with(completed)
            .select(held.fields())
            .from(held)
            // A lower maximum in the caller's settings would make held rows look lost.
            .maxRows(keys.size())
            .fetch());
  }
}
