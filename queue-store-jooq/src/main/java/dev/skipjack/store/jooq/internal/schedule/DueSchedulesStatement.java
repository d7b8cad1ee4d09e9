package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import java.time.Instant;
import java.util.Collection;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;

/**
 * Reads due schedules, beginning with those that have been due longest.
 *
 * <pre>{@code
 * SELECT ..., xmin, now() FROM job_schedules
 *  WHERE (paused_at IS NULL OR requested_at IS NOT NULL) AND due_at <= now() AND (NOT in_code OR name = ANY (:declared))
 *  ORDER BY due_at LIMIT :batch
 * }</pre>
 *
 * <p>{@code job_schedules_due_idx} returns them in order. {@code FireSchedulesStatement} later
 * skips a schedule that another worker has fired in the meantime. Locks nothing.
 */
final class DueSchedulesStatement {

  private static final Param<Long> BATCH = param("batch", Long.class);

  private DueSchedulesStatement() {}

  /**
   * @param declared the names of the schedules that the worker declared
   */
  record Request(Collection<String> declared, int batch) {}

  /**
   * A row that is due.
   *
   * @param version identifies the version of the row; it changes with every update
   * @param now the current time by the database's clock
   */
  record Due(StoredRow row, String version, Instant now) {

    String name() {
      return row.name();
    }
  }

  static Statement<Request, Due> of(DSLContext dialect) {
    Field<Instant> now = DatabaseClock.TRANSACTION_START.as("read_at");
    Field<String> version = RowVersion.OF_SCHEDULE.as("version");
    return Statement.of(
        dialect,
        select(ScheduleColumns.selected(version, now))
            .from(JOB_SCHEDULES)
            .where(SchedulePredicates.FIRES)
            .and(JOB_SCHEDULES.DUE_AT.le(DatabaseClock.TRANSACTION_START))
            .and(SchedulePredicates.CAN_FIRE)
            .orderBy(JOB_SCHEDULES.DUE_AT)
            .limit(BATCH),
        request ->
            new Arguments()
                .texts("declared", request.declared(), name -> name)
                .number("batch", request.batch()),
        row -> new Due(ScheduleColumns.read(row), row.text(version), row.instant(now)));
  }
}
