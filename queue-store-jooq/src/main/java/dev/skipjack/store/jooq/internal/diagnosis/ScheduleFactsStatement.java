package dev.skipjack.store.jooq.internal.diagnosis;

import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;

import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.NoRequest;
import dev.skipjack.store.jooq.internal.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/**
 * Lists the schedules that are not paused: {@code SELECT name, queue, kind, due_at, failures,
 * last_error, now() FROM job_schedules WHERE paused_at IS NULL ORDER BY name LIMIT 1000}. Locks
 * nothing.
 */
final class ScheduleFactsStatement {

  private static final int MOST = 1_000;

  private ScheduleFactsStatement() {}

  /**
   * A schedule that is not paused.
   *
   * @param overdueFor how long ago the schedule should have fired, negative if it is not due; null
   *     if it will not fire again
   */
  record Facts(
      String name,
      String queue,
      String kind,
      @Nullable Duration overdueFor,
      int failures,
      @Nullable String lastError) {}

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    Field<Instant> now = DatabaseClock.TRANSACTION_START.as("now");
    return Statement.of(
        dialect,
        select(
                JOB_SCHEDULES.NAME,
                JOB_SCHEDULES.QUEUE,
                JOB_SCHEDULES.KIND,
                JOB_SCHEDULES.DUE_AT,
                JOB_SCHEDULES.FAILURES,
                JOB_SCHEDULES.LAST_ERROR,
                now)
            .from(JOB_SCHEDULES)
            .where(JOB_SCHEDULES.PAUSED_AT.isNull())
            .orderBy(JOB_SCHEDULES.NAME)
            .limit(inline(MOST)),
        row -> {
          Instant due = row.instantOrNull(JOB_SCHEDULES.DUE_AT);
          return new Facts(
              row.text(JOB_SCHEDULES.NAME),
              row.text(JOB_SCHEDULES.QUEUE),
              row.text(JOB_SCHEDULES.KIND),
              due == null ? null : Duration.between(due, row.instant(now)),
              row.integer(JOB_SCHEDULES.FAILURES),
              row.textOrNull(JOB_SCHEDULES.LAST_ERROR));
        });
  }
}
