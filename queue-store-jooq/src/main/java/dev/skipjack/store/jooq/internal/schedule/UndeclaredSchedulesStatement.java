package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.schedule.ScheduleOrigin;
import dev.skipjack.api.spi.ScheduleStore.Undeclared;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.Param;

/**
 * Finds schedules that were declared in code and that no program declares any more.
 *
 * <pre>{@code
 * SELECT name, declared_at, in_code FROM job_schedules
 *  WHERE origin = 'code' AND paused_at IS NULL AND declared_at < clock_timestamp() - :age
 *  ORDER BY declared_at, name LIMIT 100
 * }</pre>
 *
 * <p>Each worker with schedules to fire runs it about once a day. It reads all schedules. Locks
 * nothing.
 */
final class UndeclaredSchedulesStatement {

  private static final int LARGEST = 100;

  private static final Param<Long> AGE = param("age", Long.class);

  private UndeclaredSchedulesStatement() {}

  static Statement<NoRequest, Undeclared> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(JOB_SCHEDULES.NAME, JOB_SCHEDULES.DECLARED_AT, JOB_SCHEDULES.IN_CODE)
            .from(JOB_SCHEDULES)
            .where(JOB_SCHEDULES.ORIGIN.eq(inline(ScheduleOrigin.CODE.literal())))
            .and(JOB_SCHEDULES.PAUSED_AT.isNull())
            .and(JOB_SCHEDULES.DECLARED_AT.lt(DatabaseClock.minusMicros(DatabaseClock.NOW, AGE)))
            .orderBy(JOB_SCHEDULES.DECLARED_AT, JOB_SCHEDULES.NAME)
            .limit(inline(LARGEST)),
        request ->
            new Arguments().number("age", DatabaseClock.micros(StoredSchedule.UNDECLARED_AFTER)),
        row ->
            new Undeclared(
                row.text(JOB_SCHEDULES.NAME),
                row.instant(JOB_SCHEDULES.DECLARED_AT),
                row.flag(JOB_SCHEDULES.IN_CODE)));
  }
}
