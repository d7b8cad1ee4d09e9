package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.with;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.store.jooq.internal.schedule.DueSchedulesStatement.Due;
import java.time.Duration;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;

/**
 * Records that schedules could not be fired, and when they are tried again.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (SELECT job_schedules.name, failed.error, failed.delay FROM job_schedules JOIN unnest(...) AS failed ...
 *                               WHERE job_schedules.xmin = failed.version
 *                               ORDER BY name FOR UPDATE OF job_schedules SKIP LOCKED),
 * postponed AS (UPDATE job_schedules SET due_at = clock_timestamp() + delay, failures = failures + 1, ... FROM locked WHERE ...)
 * SELECT name FROM postponed
 * }</pre>
 *
 * <p>A row that another session has changed since it was read is not postponed. The version of the
 * row detects this even if its values cannot be read. It locks rows as FireSchedulesStatement does.
 */
final class PostponeSchedulesStatement {

  private static final ArrayRows FAILED =
      ArrayRows.named("failed")
          .column("name", Texts.array("names"))
          .column("version", Texts.array("versions"))
          .column("delay", param("delays", Long[].class))
          .column("error", Texts.array("errors"));

  /** The largest count that is still incremented, so that the count does not overflow. */
  private static final int MOST_FAILURES = 999_999;

  private PostponeSchedulesStatement() {}

  /** A schedule as it was read, the reason, and the pause before the next try. */
  record Postponement(Due read, String error, Duration delay) {}

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
                    .where(RowVersion.OF_SCHEDULE.eq(FAILED.field("version", String.class)))
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
                    .set(
                        JOB_SCHEDULES.FAILURES,
                        least(greatest(JOB_SCHEDULES.FAILURES, inline(0)), inline(MOST_FAILURES))
                            .plus(inline(1)))
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
        .texts("names", failed, one -> one.read().row().name())
        .texts("versions", failed, one -> one.read().version())
        .bigints("delays", failed, one -> DatabaseClock.micros(one.delay()))
        .texts("errors", failed, PostponeSchedulesStatement.Postponement::error);
  }
}
