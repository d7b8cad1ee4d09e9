package dev.skipjack.skiplocked;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Record1;

/**
 * Changes the end of a lease in the rows that still have its token.
 *
 * <pre>{@code
 * WITH term AS MATERIALIZED (SELECT clock_timestamp() + :lease AS until)
 * UPDATE seat
 *    SET held_until = (SELECT until FROM term)
 *  WHERE (row, number) IN (...) AND held_by = :token
 * RETURNING seat.*
 * }</pre>
 */
final class ExtendStatement {

  private ExtendStatement() {}

  static <R extends Record> List<R> run(
      DSLContext db,
      ClaimedTable<R> source,
      LeaseColumns<?> columns,
      Collection<Record> keys,
      UUID token,
      Duration lease) {
    CommonTableExpression<Record1<Instant>> term = LeaseClock.term(lease);
    return columns
        .extend(db.with(term).update(source.table()), term)
        .where(source.hasKeyIn(keys))
        .and(columns.isHeldBy(token))
        .returning(source.table().fields())
        .fetch()
        .into(source.table());
  }
}
