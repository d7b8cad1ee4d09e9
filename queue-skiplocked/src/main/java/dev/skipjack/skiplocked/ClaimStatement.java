package dev.skipjack.skiplocked;

import java.util.Arrays;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.ResultQuery;
import org.jooq.exception.DataAccessException;

/**
 * Locks free rows until the transaction ends.
 *
 * <pre>{@code
 * WITH free AS MATERIALIZED (...)
 * SELECT free.row, free.number, ...
 *   FROM free
 *  ORDER BY free.skiplocked_order_1
 * }</pre>
 *
 * @see FreeRows
 */
final class ClaimStatement {

  private ClaimStatement() {}

  static <R extends Record> List<R> run(DSLContext db, FreeRows<R> rows, int limit) {
    try {
      return rows.requireDistinct(render(db, rows, limit).fetch().into(rows.source().table()));
    } catch (DataAccessException e) {
      throw rows.explain(e);
    }
  }

  static ResultQuery<Record> render(DSLContext db, FreeRows<?> rows, int limit) {
    CommonTableExpression<Record> free =
        rows.select(Arrays.asList(rows.source().table().fields()), limit);
    return db.with(free)
        .select(free.fields(rows.source().table().fields()))
        .from(free)
        .orderBy(rows.order(free))
        // A lower maximum in the caller's settings would hide rows that have been claimed.
        .maxRows(limit);
  }
}
