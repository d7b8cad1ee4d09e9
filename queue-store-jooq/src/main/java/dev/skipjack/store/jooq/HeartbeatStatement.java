package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.store.jooq.spi.Arguments;
import dev.skipjack.store.jooq.spi.ArrayRows;
import dev.skipjack.store.jooq.spi.DatabaseClock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jooq.CommonTableExpression;
import org.jooq.Param;
import org.jooq.ResultQuery;

/**
 * Extends leases, and tells whose job somebody wants cancelled.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (...),
 * renewed AS (UPDATE jobs SET lease_expires_at = clock_timestamp() + :lease WHERE id = ANY (ARRAY(SELECT id FROM locked))
 *           RETURNING id, current_execution_id AS execution_id, cancel_requested_at IS NOT NULL AS is_cancelled)
 * SELECT verdict, coalesce(renewed.is_cancelled, false) FROM given LEFT JOIN renewed ...
 * }</pre>
 *
 * <p>Touches no indexed column, so it is a HOT update. {@link AttemptCtes} tells the lock order.
 */
final class HeartbeatStatement {

  private static final Param<Long> LEASE = param("lease", Long.class);

  private HeartbeatStatement() {}

  static ResultQuery<?> query() {
    ArrayRows given = AttemptCtes.given();
    CommonTableExpression<?> locked = AttemptCtes.locked();
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
            coalesce(field(name("renewed", "is_cancelled"), Boolean.class), inline(false)))
        .from(given.table())
        .leftJoin(renewed)
        .on(AttemptCtes.answers(given, renewed))
        .orderBy(given.field("position", Long.class));
  }

  static Arguments arguments(List<Execution> executions, Duration lease) {
    return AttemptCtes.arguments(executions, Function.identity())
        .number("lease", DatabaseClock.micros(lease));
  }

  static Renewal read(ResultSet row) throws SQLException {
    return new Renewal(AttemptCtes.read(row), row.getBoolean(2));
  }
}
