package dev.skipjack.store.jooq.internal.ordering;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.Statement;
import java.util.SortedSet;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;

/**
 * Takes the locks of ordering keys whose jobs are about to be enqueued with strict ordering.
 *
 * <pre>{@code
 * SELECT pg_advisory_xact_lock('jobs'::regclass::integer, given.stripe) FROM unnest(:stripes) AS given (stripe)
 * }</pre>
 *
 * <p>It runs before the statement that draws the ids, and the locks last until the transaction
 * ends. If two transactions enqueue jobs of the same key, the second one therefore draws its ids
 * after the first one has committed. Transactions that enqueue without strict ordering take no such
 * lock.
 *
 * <p>All keys share 1,024 locks, because the server's lock table has room for only a few thousand
 * across all sessions. A hash of the key determines its lock, so a transaction may also wait for
 * one that enqueues a job of another key. The locks of one call are taken in ascending order,
 * before all other locks of the call, so two calls cannot deadlock. Two transactions that make
 * several such calls can (40P01).
 *
 * <p>The first number of a lock is the table's oid, which differs between the schemas of a
 * database. The queue's other advisory locks, for wake-ups, are single 64-bit numbers, which
 * PostgreSQL distinguishes from pairs.
 */
final class LockStripesStatement {

  private static final ArrayRows GIVEN =
      ArrayRows.named("given").column("stripe", param("stripes", Integer[].class));

  private LockStripesStatement() {}

  /** Creates the statement. It returns a row for each lock; the value has no meaning. */
  static Statement<SortedSet<Integer>, Boolean> of(DSLContext dialect) {
    Param<String> table = inline(dialect.render(JOBS));
    Field<Object> locked =
        field(
            "pg_catalog.pg_advisory_xact_lock(cast(cast({0} as pg_catalog.regclass) as integer), {1})",
            table, GIVEN.field("stripe", Integer.class));
    return Statement.selfContained(
        dialect,
        select(locked).from(GIVEN.table()),
        stripes -> new Arguments().integers("stripes", stripes, stripe -> stripe),
        row -> true);
  }
}
