package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.with;

import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.ArrayRows;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.Statement;
import dev.skipjack.store.jooq.internal.sql.Texts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.impl.SQLDataType;

/**
 * Records that schedules could not be fired, and when they are tried again.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (SELECT job_schedules.name, failed.error, failed.delay FROM job_schedules JOIN unnest(...) AS failed ...
 *                               WHERE next_at IS NOT DISTINCT FROM failed.planned_at AND updated_at = failed.updated_at
 *                               ORDER BY name FOR UPDATE OF job_schedules SKIP LOCKED),
 * postponed AS (UPDATE job_schedules SET due_at = clock_timestamp() + delay, failures = failures + 1, ... FROM locked WHERE ...)
 * SELECT name FROM postponed
 * }</pre>
 *
 * <p>A schedule that another worker has fired or postponed in the meantime is not changed. It locks
 * rows as FireSchedulesStatement does.
 */
final class PostponeSchedulesStatement {

  private static final ArrayRows FAILED =
      ArrayRows.named("failed")
          .column("name", Texts.array("names"))
          .column("planned_at", param("planned_at", SQLDataType.INSTANT.getArrayDataType()))
          .column("updated_at", param("updated_at", SQLDataType.INSTANT.getArrayDataType()))
          .column("due_at", param("due_at", SQLDataType.INSTANT.getArrayDataType()))
          .column("delay", param("delays", Long[].class))
          .column("error", Texts.array("errors"));

  private PostponeSchedulesStatement() {}

  /** A schedule as it was read, the reason, and the pause before the next try. */
  record Postponement(StoredSchedule read, String error, Duration delay) {}

  /** Creates the statement. It returns the names of the schedules that were postponed. */
  static Statement<List<Postponement>, String> of(DSLContext dialect) {
    CommonTableExpression<?> locked =
        name("locked")
            .asMaterialized(
                select(
                        JOB_SCHEDULES.NAME,
                        FAILED.field("error", String.class),
                        FAILED.field("delay", Long.class))
                    .from(JOB_SCHEDULES)
                    .join(FAILED.table())
                    .on(JOB_SCHEDULES.NAME.eq(FAILED.field("name", String.class)))
                    .where(
                        JOB_SCHEDULES.NEXT_AT.isNotDistinctFrom(
                            FAILED.field("planned_at", Instant.class)))
                    .and(JOB_SCHEDULES.UPDATED_AT.eq(FAILED.field("updated_at", Instant.class)))
                    .and(JOB_SCHEDULES.DUE_AT.eq(FAILED.field("due_at", Instant.class)))
                    .orderBy(JOB_SCHEDULES.NAME)
                    .forUpdate()
                    .of(JOB_SCHEDULES)
                    .skipLocked());
    CommonTableExpression<?> postponed =
        name("postponed")
            .as(
                update(JOB_SCHEDULES)
                    .set(
                        JOB_SCHEDULES.DUE_AT,
                        DatabaseClock.plusMicros(
                            DatabaseClock.NOW, locked.field("delay", Long.class)))
                    .set(JOB_SCHEDULES.FAILURES, JOB_SCHEDULES.FAILURES.plus(inline(1)))
                    .set(JOB_SCHEDULES.FAILED_AT, DatabaseClock.NOW)
                    .set(JOB_SCHEDULES.LAST_ERROR, locked.field("error", String.class))
                    .from(locked)
                    .where(JOB_SCHEDULES.NAME.eq(locked.field(JOB_SCHEDULES.NAME)))
                    .returning(JOB_SCHEDULES.NAME));
    return Statement.of(
        dialect,
        with(locked, postponed).select(postponed.field(JOB_SCHEDULES.NAME)).from(postponed),
        PostponeSchedulesStatement::arguments,
        row -> row.text(JOB_SCHEDULES.NAME));
  }

  private static Arguments arguments(List<Postponement> failed) {
    return new Arguments()
        .texts("names", failed, one -> one.read().name())
        .timestamps(
            "planned_at", failed, one -> ScheduleColumns.text(one.read().progress().nextAt()))
        .timestamps("updated_at", failed, one -> ScheduleColumns.text(one.read().updatedAt()))
        .timestamps("due_at", failed, one -> ScheduleColumns.text(one.read().progress().dueAt()))
        .bigints("delays", failed, one -> DatabaseClock.micros(one.delay()))
        .texts("errors", failed, PostponeSchedulesStatement.Postponement::error);
  }
}
