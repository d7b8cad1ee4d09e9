package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOB_MINUTES;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.sum;

import dev.skipjack.api.operations.DurationHistogram;
import dev.skipjack.api.operations.JobMinutes;
import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;

/**
 * Sums the numbers that the workers reported in each interval.
 *
 * <pre>{@code
 * SELECT date_bin(:step, minute, timestamptz '2000-01-01 00:00:00+00') AS step, sum(completed), ...,
 *        ARRAY[coalesce(sum(waits[1]), 0), ...], ARRAY[coalesce(sum(runs[1]), 0), ...]
 *   FROM job_minutes WHERE minute >= <start of the first interval> AND minute <= statement_timestamp()
 *    AND (:every_queue OR queue = ANY (:queues))
 *  GROUP BY step ORDER BY step
 * }</pre>
 *
 * <p>It reads the rows of the given minutes with {@code job_minutes_minute_idx}. Locks nothing.
 */
final class MinutesStatement {

  private static final Field<Instant> STEP = MinuteSteps.stepOf(JOB_MINUTES.MINUTE).as("step");
  private static final Field<Long> COMPLETED = total(JOB_MINUTES.COMPLETED);
  private static final Field<Long> FAILED = total(JOB_MINUTES.FAILED);
  private static final Field<Long> DEAD = total(JOB_MINUTES.DEAD);
  private static final Field<Long> CANCELLED = total(JOB_MINUTES.CANCELLED);
  private static final Field<Long> SNOOZED = total(JOB_MINUTES.SNOOZED);
  private static final Field<Long> LOST = total(JOB_MINUTES.LOST);
  private static final Field<String[]> WAITS = totals(JOB_MINUTES.WAITS);
  private static final Field<String[]> RUNS = totals(JOB_MINUTES.RUNS);

  private MinutesStatement() {}

  static Statement<MinutesQuery, JobMinutes> of(DSLContext dialect) {
    return Statement.of(dialect, query(), MinuteSteps::arguments, MinutesStatement::read);
  }

  private static ResultQuery<?> query() {
    return select(STEP, COMPLETED, FAILED, DEAD, CANCELLED, SNOOZED, LOST, WAITS, RUNS)
        .from(JOB_MINUTES)
        .where(MinuteSteps.condition(JOB_MINUTES.MINUTE, JOB_MINUTES.QUEUE))
        .groupBy(field("1", SQLDataType.INTEGER))
        .orderBy(inline(1));
  }

  private static Field<Long> total(Field<Integer> column) {
    return cast(sum(column), SQLDataType.BIGINT).as(column.getName());
  }

  /** Sums arrays element by element. */
  private static Field<String[]> totals(Field<Integer[]> column) {
    Field<?>[] sums =
        IntStream.rangeClosed(1, DurationHistogram.RANGES)
            .mapToObj(
                i ->
                    cast(
                        field("coalesce(sum({0}[{1}]), 0)", SQLDataType.BIGINT, column, inline(i)),
                        SQLDataType.CLOB))
            .toArray(Field<?>[]::new);
    return array(sums).coerce(String[].class).as(column.getName());
  }

  private static JobMinutes read(Row row) throws SQLException {
    return new JobMinutes(
        row.instant(STEP),
        row.number(COMPLETED),
        row.number(FAILED),
        row.number(DEAD),
        row.number(CANCELLED),
        row.number(SNOOZED),
        row.number(LOST),
        histogram(row, WAITS),
        histogram(row, RUNS));
  }

  private static DurationHistogram histogram(Row row, Field<String[]> column) throws SQLException {
    return DurationHistogram.of(row.texts(column).stream().mapToLong(Long::parseLong).toArray());
  }
}
