package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOB_DEPTHS;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.sum;

import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.api.operations.QueueDepth;
import dev.skipjack.sql.Statement;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * Sums the depths of the queues in each interval.
 *
 * <pre>{@code
 * SELECT step, sum(pending), sum(running), sum(waiting), sum(dead)
 *   FROM (SELECT date_bin(:step, minute, ...) AS step, max(pending) AS pending, ... FROM job_depths
 *          WHERE minute >= <start of the first interval> AND ... GROUP BY step, queue) AS highest
 *  GROUP BY step ORDER BY step
 * }</pre>
 *
 * <p>It reads the rows of the given minutes with the primary key. Locks nothing.
 */
final class DepthsStatement {

  private static final Field<Instant> STEP = field(name("highest", "step"), Instant.class);
  private static final Field<Long> PENDING = total("pending");
  private static final Field<Long> RUNNING = total("running");
  private static final Field<Long> WAITING = total("waiting");
  private static final Field<Long> DEAD = total("dead");

  private DepthsStatement() {}

  static Statement<MinutesQuery, QueueDepth> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        query(),
        MinuteSteps::arguments,
        row ->
            new QueueDepth(
                row.instant(STEP),
                row.number(PENDING),
                row.number(RUNNING),
                row.number(WAITING),
                row.number(DEAD)));
  }

  private static ResultQuery<?> query() {
    Table<?> highest =
        select(
                MinuteSteps.stepOf(JOB_DEPTHS.MINUTE).as("step"),
                max(JOB_DEPTHS.PENDING).as("pending"),
                max(JOB_DEPTHS.RUNNING).as("running"),
                max(JOB_DEPTHS.WAITING).as("waiting"),
                max(JOB_DEPTHS.DEAD).as("dead"))
            .from(JOB_DEPTHS)
            .where(MinuteSteps.condition(JOB_DEPTHS.MINUTE, JOB_DEPTHS.QUEUE))
            .groupBy(field("1", SQLDataType.INTEGER), JOB_DEPTHS.QUEUE)
            .asTable("highest");
    return select(STEP, PENDING, RUNNING, WAITING, DEAD).from(highest).groupBy(STEP).orderBy(STEP);
  }

  private static Field<Long> total(String column) {
    return cast(sum(field(name("highest", column), Long.class)), SQLDataType.BIGINT).as(column);
  }
}
