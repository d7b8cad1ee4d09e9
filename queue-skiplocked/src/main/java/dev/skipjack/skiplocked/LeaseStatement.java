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
import org.jooq.SelectFieldOrAsterisk;
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
 *     FROM unnest(ARRAY(SELECT row FROM free), ARRAY(SELECT number FROM free), ARRAY(SELECT source FROM free))
 *       AS chosen (row, number, source)
 *    WHERE seat.row = chosen.row AND seat.number = chosen.number AND seat.tableoid = chosen.source
 *   RETURNING seat.*, seat.tableoid AS source)
 * SELECT leased.*, CAST(free.row AS text) AS key_1, ... AS type_1, CAST(free.number AS text) AS key_2, ... AS type_2
 *   FROM leased
 *   JOIN free ON leased.row = free.row AND leased.number = free.number AND leased.source = free.source
 *  ORDER BY free.skiplocked_order_1
 * }</pre>
 *
 * <ul>
 *   <li>The keys are passed as arrays: the planner expects ten rows from them and looks up each row
 *       in the primary key's index. With a join to {@code free}, it might read the whole table. If
 *       a column of the key is an array, {@code chosen} is {@code free}, because unnest would
 *       return the elements of these arrays.
 *   <li>A parent table and the tables that inherit from it may have rows with the same key. {@code
 *       tableoid} identifies the locked one.
 *   <li>The rows are identified by primary key and not by {@code ctid}, because a row may change
 *       between the snapshot and the lock. Then the snapshot of the UPDATE does not contain the
 *       version that {@code free} has locked.
 *   <li>The UPDATE does not repeat the conditions, because this statement has locked its rows.
 *   <li>RETURNING guarantees no order, so the rows are sorted by the sort keys in {@code free}.
 * </ul>
 *
 * @see FreeRows
 * @see LeasedRows
 */
final class LeaseStatement {

  private static final Name CHOSEN = DSL.name("skiplocked_chosen");

  private LeaseStatement() {}

  static <R extends Record> LeasedRows<R> run(
      DSLContext db,
      FreeRows<R> rows,
      LeaseColumns<?> columns,
      UUID token,
      Duration lease,
      int limit) {
    try {
      LeasedRows<R> leased =
          LeasedRows.read(rows.source(), render(db, rows, columns, token, lease, limit).fetch());
      rows.requireDistinct(leased.values());
      return leased;
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
    List<SelectFieldOrAsterisk> returned = new ArrayList<>(List.of(source.table().fields()));
    returned.add(FreeRows.sourceOf(source).as(FreeRows.SOURCE));
    CommonTableExpression<Record> leased =
        DSL.name("skiplocked_leased")
            .as(
                columns
                    .take(DSL.update(source.table()), term, token)
                    .from(chosen(free, source.key()))
                    .where(source.keyMatches(CHOSEN))
                    .and(FreeRows.sourceOf(source).eq(FreeRows.sourceIn(CHOSEN)))
                    .returningResult(returned));
    return db.with(free)
        .with(term)
        .with(leased)
        .select(leased.fields(source.table().fields()))
        .select(LeasedRows.columns(source, free))
        .from(leased)
        .join(free)
        .on(source.keysMatch(leased.getUnqualifiedName(), free.getUnqualifiedName()))
        .and(
            FreeRows.sourceIn(leased.getUnqualifiedName())
                .eq(FreeRows.sourceIn(free.getUnqualifiedName())))
        .orderBy(rows.order(free))
        // A lower maximum in the caller's settings would hide rows that have been claimed.
        .maxRows(limit);
  }

  /**
   * Returns the keys of {@code free} as a table: several arrays in one {@code unnest}, which jOOQ's
   * DSL cannot express, or {@code free} itself if a key column is an array.
   */
  private static Table<?> chosen(Table<?> free, List<Field<?>> key) {
    if (key.stream().anyMatch(field -> field.getDataType().isArray())) {
      return DSL.table(free.getUnqualifiedName()).as(CHOSEN);
    }
    List<Field<?>> arrays = new ArrayList<>();
    List<Name> names = new ArrayList<>();
    for (Field<?> field : key) {
      arrays.add(
          DSL.array(DSL.select(ClaimedTable.in(free.getUnqualifiedName(), field)).from(free)));
      names.add(field.getUnqualifiedName());
    }
    arrays.add(DSL.array(DSL.select(FreeRows.sourceIn(free.getUnqualifiedName())).from(free)));
    names.add(FreeRows.SOURCE);
    return DSL.table("unnest({0})", DSL.list(arrays)).as(CHOSEN, names);
  }
}
