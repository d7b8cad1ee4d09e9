package dev.skipjack.skiplocked;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.ResultQuery;
import org.jooq.SelectFieldOrAsterisk;

/**
 * Changes the end of a lease in the rows that still have its token.
 *
 * <pre>{@code
 * WITH term AS MATERIALIZED (SELECT clock_timestamp() + :lease AS until)
 * UPDATE seat
 *    SET held_until = (SELECT until FROM term)
 *   FROM unnest(...) WITH ORDINALITY AS given (key_1, key_2, position)
 *  WHERE seat.row = given.key_1 AND seat.number = given.key_2 AND held_by = :token
 * RETURNING given.position, seat.*
 * }</pre>
 *
 * @see LeasedRows
 */
final class ExtendStatement {

  private ExtendStatement() {}

  /** Returns the rows that still had the token. */
  static <R extends Record> LeasedRows<R> run(
      DSLContext db,
      ClaimedTable<R> source,
      LeaseColumns<?> columns,
      LeasedRows<R> leased,
      UUID token,
      Duration lease) {
    Map<Long, R> extended = new HashMap<>();
    render(db, source, columns, leased, token, lease)
        .fetch()
        .forEach(row -> extended.put(row.get(LeasedRows.position()), row.into(source.table())));
    return leased.changed(extended);
  }

  static <R extends Record> ResultQuery<Record> render(
      DSLContext db,
      ClaimedTable<R> source,
      LeaseColumns<?> columns,
      LeasedRows<R> leased,
      UUID token,
      Duration lease) {
    CommonTableExpression<Record1<Instant>> term = LeaseClock.term(lease);
    List<SelectFieldOrAsterisk> returned = new ArrayList<>();
    returned.add(LeasedRows.position());
    returned.addAll(Arrays.asList(source.table().fields()));
    return columns
        .extend(db.with(term).update(source.table()), term)
        .from(leased.given())
        .where(leased.isGiven(source))
        .and(columns.isHeldBy(token))
        .returningResult(returned);
  }
}
