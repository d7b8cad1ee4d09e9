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
 * ends. If two transactions enqueue jobs of the same key, the second therefore draws its ids after
 * the first has ended.
 *
 * <p>All keys share 1,024 locks, because the server's lock table has room for only a few thousand.
 * A hash of the key determines the lock, so a transaction may also wait for a transaction that
 * enqueues a job of another key. Each call takes its locks in ascending order, before all other
 * locks, so two calls cannot deadlock. Two transactions with several such calls can deadlock
 * (40P01).
 *
 * <p>The first number is the oid of the table, so that the schemas of a database do not share
 * locks. Wake-ups lock single 64-bit numbers, which PostgreSQL distinguishes from pairs.
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
