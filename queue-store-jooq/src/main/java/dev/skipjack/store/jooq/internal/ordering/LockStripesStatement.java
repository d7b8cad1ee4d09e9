package dev.skipjack.store.jooq.internal.ordering;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.ArrayRows;
import dev.skipjack.store.jooq.internal.sql.Statement;
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
 * ends. Of two transactions that enqueue jobs of one key, the second one therefore draws its ids
 * after the commit of the first one. Transactions that enqueue without strict ordering take no such
 * lock.
 *
 * <p>A key has one of 1,024 locks, because the server's table of locks has room for a few thousand
 * in all sessions together. The lock is chosen by a hash of the key, so a transaction may also wait
 * for one that enqueues a job of another key. The locks of one call are taken in ascending order,
 * before all other locks of the call, so two calls cannot deadlock. Two transactions that make
 * several such calls can (40P01).
 *
 * <p>The first number of a lock is the table's oid, which differs between the schemas of a
 * database. The queue's other advisory locks, those of wake-ups, are single numbers of 64 bits,
 * which PostgreSQL keeps apart from pairs.
 */
final class LockStripesStatement {

  private static final ArrayRows GIVEN =
      ArrayRows.named("given").column("stripe", param("stripes", Integer[].class));

  private LockStripesStatement() {}

  /** Returns a row for each lock, without a meaning. */
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
