package dev.skipjack.skiplocked;

import org.jooq.Record;
import org.jooq.Table;

/**
 * Starts claims of rows with {@code FOR NO KEY UPDATE SKIP LOCKED}.
 *
 * <p>Needs PostgreSQL 14 or later, and a {@link org.jooq.DSLContext} with the dialect {@code
 * POSTGRES} that executes by JDBC.
 */
public final class SkipLocked {

  private SkipLocked() {}

  /**
   * Returns a claim of one row of {@code table}, without conditions or an order.
   *
   * @param table a table as jOOQ's generator describes it, or an alias of one. It may be
   *     partitioned. Foreign tables are not supported, because their servers would wait for locked
   *     rows.
   * @throws IllegalArgumentException if {@code table} is a view, a function, a join or the result
   *     of a query, or if jOOQ does not know its columns
   */
  public static <R extends Record> RowClaim<R> on(Table<R> table) {
    return RowClaim.of(ClaimedTable.of(table));
  }
}
