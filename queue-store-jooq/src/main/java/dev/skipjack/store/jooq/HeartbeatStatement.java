package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.ArrayRows;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jooq.CommonTableExpression;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;

/**
 * Extends leases, and tells whose job somebody wants cancelled and who else has a job.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (... FOR NO KEY UPDATE SKIP LOCKED),
 * renewed AS (UPDATE jobs SET lease_expires_at = clock_timestamp() + :lease WHERE id = ANY (ARRAY(SELECT id FROM locked))
 *           RETURNING id, current_execution_id AS execution_id, cancel_requested_at IS NOT NULL AS is_cancelled)
 * SELECT verdict, coalesce(renewed.is_cancelled, false),
 *        CASE WHEN renewed.id IS NULL THEN (SELECT coalesce(current_execution_id, 0) FROM jobs WHERE id = given.job_id) END
 *   FROM given LEFT JOIN renewed ...
 * }</pre>
 *
 * <p>The last column is looked up for those alone whose lease was not extended: no row, 0 for a job
 * that nobody has, or the execution that has it.
 *
 * <p>Touches no indexed column, so it is a HOT update. {@link AttemptCtes} tells the lock order.
 */
final class HeartbeatStatement {

  private static final Param<Long> LEASE = param("lease", Long.class);

  /** Instead of the execution that has a job; ids begin at 1. */
  private static final long NOBODY = 0;

  private HeartbeatStatement() {}

  static ResultQuery<?> query() {
    ArrayRows given = AttemptCtes.given();
    CommonTableExpression<?> locked = AttemptCtes.lockedForUpdateOnly();
    CommonTableExpression<?> renewed =
        name("renewed")
            .as(
                update(JOBS)
                    .set(JOBS.LEASE_EXPIRES_AT, DatabaseClock.plusMicros(DatabaseClock.NOW, LEASE))
                    .where(AttemptCtes.isLocked(locked))
                    .returningResult(
                        JOBS.ID,
                        JOBS.CURRENT_EXECUTION_ID.as(AttemptCtes.EXECUTION_ID),
                        AttemptCtes.isCancelled()));
    return with(locked, renewed)
        .select(
            AttemptCtes.verdict(given, renewed),
            coalesce(field(name("renewed", "is_cancelled"), Boolean.class), inline(false)),
            when(field(name("renewed", "id"), Long.class).isNull(), holder(given)))
        .from(given.table())
        .leftJoin(renewed)
        .on(AttemptCtes.answers(given, renewed))
        .orderBy(given.field("position", Long.class));
  }

  private static Field<Long> holder(ArrayRows given) {
    return field(
        select(coalesce(JOBS.CURRENT_EXECUTION_ID, inline(NOBODY)))
            .from(JOBS)
            .where(JOBS.ID.eq(given.field("job_id", Long.class))));
  }

  static Arguments arguments(List<Execution> executions, Duration lease) {
    return AttemptCtes.arguments(executions, Function.identity())
        .number("lease", DatabaseClock.micros(lease));
  }

  static Renewal read(ResultSet row) throws SQLException {
    Verdict verdict = AttemptCtes.read(row);
    if (verdict != Verdict.LOST) {
      return new Renewal(verdict, row.getBoolean(2));
    }
    long holder = row.getLong(3);
    return row.wasNull()
        ? new Renewal(verdict, false)
        : new Renewal(verdict, false, true, holder == NOBODY ? null : new ExecutionId(holder));
  }
}
