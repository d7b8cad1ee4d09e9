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
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jspecify.annotations.Nullable;

/**
 * Extends leases. Reports for each execution whether cancellation of its job was requested and, if
 * the lease is lost, which execution holds the job.
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
 * <p>The last column is computed only if the lease was not extended. It is then NULL if the job has
 * no row, 0 if no execution holds the job, and otherwise the id of the execution that holds it.
 *
 * <p>The update changes no indexed column, so it can be a HOT update. {@link AttemptCtes} explains
 * the lock order.
 */
final class HeartbeatStatement {

  private static final Param<Long> LEASE = param("lease", Long.class);

  /** The value that represents no execution; ids begin at 1. */
  private static final long NONE = 0;

  private HeartbeatStatement() {}

  /**
   * The leases to extend.
   *
   * @param lease the duration of the leases, measured from now
   */
  record Request(List<Execution> executions, Duration lease) {}

  static Statement<Request, Renewal> of(DSLContext dialect) {
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
    Field<String> verdict = AttemptCtes.verdict(given, renewed);
    Field<Boolean> isCancelled =
        coalesce(field(name("renewed", "is_cancelled"), Boolean.class), inline(false));
    Field<Long> holder = when(field(name("renewed", "id"), Long.class).isNull(), holder(given));
    return Statement.of(
        dialect,
        AttemptCtes.resultOfEach(
            with(locked, renewed), given, renewed, verdict, isCancelled, holder),
        HeartbeatStatement::arguments,
        row ->
            renewal(
                AttemptCtes.verdict(row, verdict),
                row.flag(isCancelled),
                row.numberOrNull(holder)));
  }

  private static Field<Long> holder(ArrayRows given) {
    return field(
        select(coalesce(JOBS.CURRENT_EXECUTION_ID, inline(NONE)))
            .from(JOBS)
            .where(JOBS.ID.eq(given.field("job_id", Long.class))));
  }

  private static Arguments arguments(Request request) {
    return AttemptCtes.arguments(request.executions(), Function.identity())
        .number("lease", DatabaseClock.micros(request.lease()));
  }

  private static Renewal renewal(Verdict verdict, boolean isCancelled, @Nullable Long holder) {
    if (verdict != Verdict.LOST) {
      return new Renewal(verdict, isCancelled);
    }
    return holder == null
        ? new Renewal(verdict, false)
        : new Renewal(verdict, false, true, holder == NONE ? null : new ExecutionId(holder));
  }
}
