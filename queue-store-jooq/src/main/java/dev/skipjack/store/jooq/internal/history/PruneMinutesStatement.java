package dev.skipjack.store.jooq.internal.history;

import static dev.skipjack.model.Tables.JOB_DEPTHS;
import static dev.skipjack.model.Tables.JOB_MINUTES;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.with;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Table;

/**
 * Deletes old minutes, or old depths.
 *
 * <pre>{@code
 * WITH pruned AS (DELETE FROM job_minutes WHERE minute < clock_timestamp() - :kept RETURNING 1)
 * SELECT count(*) FROM pruned
 * }</pre>
 *
 * <p>Maintenance runs every hour, so a call deletes about an hour of rows. No other statement
 * changes these rows, so it waits only for another worker's maintenance.
 */
final class PruneMinutesStatement {

  private static final Param<Long> KEPT = param("kept", Long.class);
  private static final Field<Integer> PRUNED = count();

  private PruneMinutesStatement() {}

  static Statement<Duration, Integer> ofMinutes(DSLContext dialect) {
    return of(dialect, JOB_MINUTES, JOB_MINUTES.MINUTE);
  }

  static Statement<Duration, Integer> ofDepths(DSLContext dialect) {
    return of(dialect, JOB_DEPTHS, JOB_DEPTHS.MINUTE);
  }

  /** Creates a statement that deletes rows older than a given duration. */
  private static Statement<Duration, Integer> of(
      DSLContext dialect, Table<?> rows, Field<Instant> minute) {
    CommonTableExpression<?> pruned =
        name("pruned")
            .as(
                deleteFrom(rows)
                    .where(
                        minute.lt(DatabaseClock.minusMicros(DatabaseClock.TRANSACTION_START, KEPT)))
                    .returning(minute));
    return Statement.of(
        dialect,
        with(pruned).select(PRUNED).from(table(name("pruned"))),
        kept -> new Arguments().number("kept", DatabaseClock.micros(kept)),
        row -> row.integer(PRUNED));
  }
}
