package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Lists the schedules that are not paused, failing and overdue ones first.
 *
 * <pre>{@code
 * SELECT name, queue, kind, (<microseconds since due_at>), failures, left(last_error, 1000) FROM job_schedules
 *  WHERE paused_at IS NULL ORDER BY (failures > 0 OR due_at IS NOT NULL AND due_at < now()) DESC, name LIMIT 1000
 * }</pre>
 *
 * <p>Workers record a row that they cannot read in {@code failures}, so this statement reads no
 * timing. Locks nothing.
 */
final class ScheduleFactsStatement {

  private static final int MOST = 1_000;
  private static final int LONGEST_ERROR = 1_000;

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
    Field<Long> overdue = DatabaseClock.microsUntil(JOB_SCHEDULES.DUE_AT).neg().as("overdue");
    Field<String> error =
        field("left({0}, {1})", SQLDataType.CLOB, JOB_SCHEDULES.LAST_ERROR, inline(LONGEST_ERROR));
    Field<String> lastError = error.as("last_error");
    return Statement.of(
        dialect,
        select(
                JOB_SCHEDULES.NAME,
                JOB_SCHEDULES.QUEUE,
                JOB_SCHEDULES.KIND,
                overdue,
                JOB_SCHEDULES.FAILURES,
                lastError)
            .from(JOB_SCHEDULES)
            .where(JOB_SCHEDULES.PAUSED_AT.isNull())
            .orderBy(
                field(
                        JOB_SCHEDULES
                            .FAILURES
                            .gt(inline(0))
                            .or(
                                JOB_SCHEDULES
                                    .DUE_AT
                                    .isNotNull()
                                    .and(JOB_SCHEDULES.DUE_AT.lt(DatabaseClock.TRANSACTION_START))))
                    .desc(),
                JOB_SCHEDULES.NAME)
            .limit(inline(MOST)),
        row -> {
          Long micros = row.numberOrNull(overdue);
          return new Facts(
              row.text(JOB_SCHEDULES.NAME),
              row.text(JOB_SCHEDULES.QUEUE),
              row.text(JOB_SCHEDULES.KIND),
              micros == null ? null : Duration.of(micros, ChronoUnit.MICROS),
              row.integer(JOB_SCHEDULES.FAILURES),
              row.textOrNull(lastError));
        });
  }
}
