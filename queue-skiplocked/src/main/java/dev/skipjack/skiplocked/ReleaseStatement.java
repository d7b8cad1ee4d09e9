package dev.skipjack.skiplocked;

import java.util.Collection;
import java.util.UUID;
import org.jooq.DSLContext;
import org.jooq.Record;

/**
 * Removes a lease from the rows that still have its token.
 *
 * <pre>{@code
 * UPDATE seat
 *    SET held_until = NULL, held_by = NULL
 *  WHERE (row, number) IN (...) AND held_by = :token
 * }</pre>
 */
final class ReleaseStatement {

  private ReleaseStatement() {}

  static int run(
      DSLContext db,
      ClaimedTable<?> source,
      LeaseColumns<?> columns,
      Collection<Record> keys,
      UUID token) {
    return columns
        .clear(db.update(source.table()))
        .where(source.hasKeyIn(keys))
        .and(columns.isHeldBy(token))
        .execute();
  }
}
