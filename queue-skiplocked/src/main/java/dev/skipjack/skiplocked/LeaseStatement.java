package dev.skipjack.skiplocked;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Name;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.ResultQuery;
import org.jooq.Table;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;

/**
 * Locks free rows and writes a lease into them.
 *
 * <pre>{@code
 * WITH free AS MATERIALIZED (...),
 * term AS MATERIALIZED (SELECT clock_timestamp() + :lease AS until),
 * leased AS (
 *   UPDATE seat
 *      SET held_until = (SELECT until FROM term), held_by = :token
 *     FROM unnest(ARRAY(SELECT row FROM free), ARRAY(SELECT number FROM free)) AS chosen (row, number)
 *    WHERE seat.row = chosen.row AND seat.number = chosen.number
 *   RETURNING seat.*)
 * SELECT leased.*
 *   FROM leased
 *   JOIN free ON leased.row = free.row AND leased.number = free.number
 *  ORDER BY free.skiplocked_order_1
 * }</pre>
 *
 * <ul>
 *   <li>The keys are passed as arrays: the planner expects ten rows from them and looks up each row
 *       in the primary key's index. With a join to {@code free}, it might read the whole table.
 *   <li>The rows are identified by primary key and not by {@code ctid}: if a row was changed
 *       between the snapshot and the lock, the snapshot of the UPDATE does not contain the version
 *       that {@code free} has locked.
 *   <li>The UPDATE does not repeat the conditions: its rows are locked by this statement.
 *   <li>RETURNING guarantees no order, so the rows are sorted by the sort keys in {@code free}.
 * </ul>
 *
 * @see FreeRows
 */
final class LeaseStatement {

  private static final Name CHOSEN = DSL.name("skiplocked_chosen");

  private LeaseStatement() {}

  static <R extends Record> List<R> run(
      DSLContext db,
      FreeRows<R> rows,
      LeaseColumns<?> columns,
      UUID token,
      Duration lease,
      int limit) {
    try {
      return rows.requireDistinct(
          render(db, rows, columns, token, lease, limit).fetch().into(rows.source().table()));
    } catch (DataAccessException e) {
      throw rows.explain(e);
    }
  }

  static <R extends Record> ResultQuery<Record> render(
      DSLContext db,
      FreeRows<R> rows,
      LeaseColumns<?> columns,
      UUID token,
      Duration lease,
      int limit) {
    ClaimedTable<R> source = rows.source();
    CommonTableExpression<Record> free = rows.select(source.key(), limit);
    CommonTableExpression<Record1<Instant>> term = LeaseClock.term(lease);
    CommonTableExpression<R> leased =
        DSL.name("skiplocked_leased")
            .as(
                columns
                    .take(DSL.update(source.table()), term, token)
                    .from(chosen(free, source.key()))
                    .where(source.keyMatches(CHOSEN))
                    .returning(source.table().fields()));
    return db.with(free)
        .with(term)
        .with(leased)
        .select(leased.fields(source.table().fields()))
        .from(leased)
        .join(free)
        .on(source.keysMatch(leased.getUnqualifiedName(), free.getUnqualifiedName()))
        .orderBy(rows.order(free))
        // A lower maximum in the caller's settings would hide rows that have been claimed.
        .maxRows(limit);
  }

  /** Several arrays in one {@code unnest}, which jOOQ's DSL cannot express. */
  private static Table<?> chosen(Table<?> free, List<Field<?>> key) {
    List<Field<?>> arrays = new ArrayList<>();
    for (Field<?> field : key) {
      arrays.add(
          DSL.array(DSL.select(ClaimedTable.in(free.getUnqualifiedName(), field)).from(free)));
    }
    return DSL.table("unnest({0})", DSL.list(arrays))
        .as(CHOSEN, key.stream().map(Field::getUnqualifiedName).toList());
  }
}
