package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOB_MINUTES;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.sum;

import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.api.operations.QueueActivity;
import dev.skipjack.sql.Statement;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;

/**
 * Sums the ended attempts of each queue in each interval.
 *
 * <pre>{@code
 * SELECT date_bin(:step, minute, timestamptz '2000-01-01 00:00:00+00') AS step, queue, sum(completed), sum(failed + dead)
 *   FROM job_minutes WHERE minute >= <start of the first interval> AND minute <= statement_timestamp()
 *    AND (:every_queue OR queue = ANY (:queues))
 *  GROUP BY step, queue ORDER BY step DESC, queue LIMIT 10000
 * }</pre>
 *
 * <p>It reads the rows of the given minutes with {@code job_minutes_minute_idx}. Locks nothing.
 */
final class ActivityStatement {

  private static final Field<Instant> STEP = MinuteSteps.stepOf(JOB_MINUTES.MINUTE).as("step");

  private static final Field<Long> COMPLETED =
      cast(sum(JOB_MINUTES.COMPLETED), SQLDataType.BIGINT).as("completed");

  // Cast, because the sum of two integers may be too large for one.
  private static final Field<Long> FAILED =
      cast(
              sum(cast(JOB_MINUTES.FAILED, SQLDataType.BIGINT).plus(JOB_MINUTES.DEAD)),
              SQLDataType.BIGINT)
          .as("failed");

  private ActivityStatement() {}

  static Statement<MinutesQuery, QueueActivity> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        query(),
        MinuteSteps::arguments,
        row ->
            new QueueActivity(
                row.text(JOB_MINUTES.QUEUE),
                row.instant(STEP),
                row.number(COMPLETED),
                row.number(FAILED)));
  }

  private static ResultQuery<?> query() {
    return select(STEP, JOB_MINUTES.QUEUE, COMPLETED, FAILED)
        .from(JOB_MINUTES)
        .where(MinuteSteps.condition(JOB_MINUTES.MINUTE, JOB_MINUTES.QUEUE))
        .groupBy(field("1", SQLDataType.INTEGER), JOB_MINUTES.QUEUE)
        .orderBy(field("1", SQLDataType.INTEGER).desc(), JOB_MINUTES.QUEUE)
        .limit(inline(ReadBounds.EXACT));
  }
}
