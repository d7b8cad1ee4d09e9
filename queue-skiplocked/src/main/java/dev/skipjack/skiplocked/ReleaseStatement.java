package dev.skipjack.skiplocked;

import java.util.UUID;
import org.jooq.DSLContext;
import org.jooq.Query;
import org.jooq.Record;

/**
 * Removes a lease from the rows that still have its token.
 *
 * <pre>{@code
 * UPDATE seat
 *    SET held_until = NULL, held_by = NULL
 *   FROM unnest(...) WITH ORDINALITY AS given (key_1, key_2, position)
 *  WHERE seat.row = given.key_1 AND seat.number = given.key_2 AND held_by = :token
 * }</pre>
 *
 * @see LeasedRows
 */
final class ReleaseStatement {

  private ReleaseStatement() {}

  static <R extends Record> int run(
      DSLContext db,
      ClaimedTable<R> source,
      LeaseColumns<?> columns,
      LeasedRows<R> leased,
      UUID token) {
    return render(db, source, columns, leased, token).execute();
  }

  static <R extends Record> Query render(
      DSLContext db,
      ClaimedTable<R> source,
      LeaseColumns<?> columns,
      LeasedRows<R> leased,
      UUID token) {
    return columns
        .clear(db.update(source.table()))
        .from(leased.given())
        .where(leased.isGiven(source))
        .and(columns.isHeldBy(token));
  }
}
