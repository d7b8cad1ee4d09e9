package dev.skipjack.store.jooq.internal.history;

import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_RATE_USES;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.with;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.RateLimit;
import dev.skipjack.sql.Statement;
import java.time.Instant;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;

/**
 * Deletes rows of {@code job_rate_uses} that no rate needs any more: their starts have left the
 * window, and their token bucket is full.
 *
 * <pre>{@code
 * WITH old AS MATERIALIZED (SELECT ctid FROM job_rate_uses LEFT JOIN job_limits ON job_limits.name = limit_name
 *                            WHERE job_limits.name IS NULL
 *                               OR (full_at < now() AND at < now() - (coalesce(<rate_period in microseconds>, 0) + <a minute>))
 *                            LIMIT :batch FOR UPDATE OF job_rate_uses SKIP LOCKED),
 *      pruned AS (DELETE FROM job_rate_uses WHERE ctid = ANY (ARRAY(SELECT ctid FROM old)) RETURNING id)
 * SELECT count(*) FROM pruned
 * }</pre>
 *
 * <p>The minute is for claims that began before this statement. It skips locked rows, and reads the
 * whole table, which contains one row for each claim of the longest period.
 */
final class PruneRateUsesStatement {

  /** A minute in microseconds. */
  private static final long MARGIN = 60_000_000;

  private static final Param<Long> BATCH = param("batch", Long.class);
  private static final Field<Integer> PRUNED = count();

  private PruneRateUsesStatement() {}

  /**
   * Creates the statement. Its request is the maximum number of rows to delete, and its result the
   * number of deleted rows.
   */
  static Statement<Integer, Integer> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        query(),
        batch -> new Arguments().number("batch", batch),
        row -> row.integer(PRUNED));
  }

  private static ResultQuery<?> query() {
    Field<Instant> windowStart =
        DatabaseClock.minusMicros(
            DatabaseClock.TRANSACTION_START,
            coalesce(RateLimit.period(), inline(0L)).plus(inline(MARGIN)));
    Field<Object> row = field("{0}.ctid", Object.class, JOB_RATE_USES);
    CommonTableExpression<?> old =
        name("old")
            .asMaterialized(
                select(row.as("place"))
                    .from(JOB_RATE_USES)
                    .leftJoin(JOB_LIMITS)
                    .on(JOB_LIMITS.NAME.eq(JOB_RATE_USES.LIMIT_NAME))
                    .where(JOB_LIMITS.NAME.isNull())
                    .or(
                        JOB_RATE_USES
                            .FULL_AT
                            .lt(DatabaseClock.TRANSACTION_START)
                            .and(JOB_RATE_USES.AT.lt(windowStart)))
                    .limit(BATCH)
                    .forUpdate()
                    .of(JOB_RATE_USES)
                    .skipLocked());
    CommonTableExpression<?> pruned =
        name("pruned")
            .as(
                deleteFrom(JOB_RATE_USES)
                    .where(
                        condition(
                            "{0} = {1}",
                            row,
                            any(
                                array(
                                    select(field(name("old", "place"))).from(table(name("old")))))))
                    .returning(JOB_RATE_USES.ID));
    return with(old, pruned).select(PRUNED).from(table(name("pruned")));
  }
}
