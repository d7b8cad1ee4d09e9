package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.exists;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.notExists;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.store.jooq.spi.Arguments;
import dev.skipjack.store.jooq.spi.ArrayRows;
import dev.skipjack.store.jooq.spi.DatabaseClock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;

/**
 * Lists the lanes that hold a due job, but for paused queues.
 *
 * <pre>{@code
 * WITH RECURSIVE lane (queue, priority) AS (
 *     SELECT wanted.queue, (SELECT priority FROM jobs WHERE status = 'pending' AND queue = wanted.queue
 *                            ORDER BY priority DESC LIMIT 1)
 *       FROM unnest(:queues) AS wanted (queue)
 *      WHERE NOT EXISTS (SELECT 1 FROM job_queues WHERE queue = wanted.queue AND paused_at IS NOT NULL)
 *   UNION ALL
 *     SELECT lane.queue, (SELECT priority FROM jobs WHERE status = 'pending' AND queue = lane.queue
 *                            AND priority < lane.priority ORDER BY priority DESC LIMIT 1)
 *       FROM lane WHERE lane.priority IS NOT NULL)
 * SELECT queue, priority FROM lane
 *  WHERE priority IS NOT NULL
 *    AND EXISTS (SELECT 1 FROM jobs WHERE status = 'pending' AND queue = lane.queue AND priority = lane.priority
 *                   AND scheduled_at <= now())
 * }</pre>
 *
 * <p>A DISTINCT would read every pending job. The recursion jumps from one priority to the next
 * lower one through the index, so it reads two entries a lane. Locks nothing.
 */
final class DueLanesStatement {

  private static final Param<String[]> QUEUES = ArrayRows.texts("queues");
  private static final Field<String> QUEUE = field(name("lane", "queue"), String.class);
  private static final Field<Short> PRIORITY = field(name("lane", "priority"), Short.class);

  private DueLanesStatement() {}

  static ResultQuery<?> query() {
    ArrayRows wanted = ArrayRows.named("wanted").column("queue", QUEUES);
    Field<String> wantedQueue = wanted.field("queue", String.class);
    CommonTableExpression<?> lanes =
        name("lane")
            .fields("queue", "priority")
            .as(
                select(wantedQueue, highestPriority(wantedQueue, noCondition()))
                    .from(wanted.table())
                    .where(
                        notExists(
                            selectOne()
                                .from(JOB_QUEUES)
                                .where(JOB_QUEUES.QUEUE.eq(wantedQueue))
                                .and(JOB_QUEUES.PAUSED_AT.isNotNull())))
                    .unionAll(
                        select(QUEUE, highestPriority(QUEUE, JOBS.PRIORITY.lt(PRIORITY)))
                            .from(table(name("lane")))
                            .where(PRIORITY.isNotNull())));
    return withRecursive(lanes)
        .select(QUEUE, PRIORITY)
        .from(lanes)
        .where(PRIORITY.isNotNull())
        .and(
            exists(
                selectOne()
                    .from(JOBS)
                    .where(JobPredicates.PENDING)
                    .and(JOBS.QUEUE.eq(QUEUE))
                    .and(JOBS.PRIORITY.eq(PRIORITY))
                    .and(JOBS.SCHEDULED_AT.le(DatabaseClock.TRANSACTION_START))));
  }

  private static Field<Short> highestPriority(Field<String> queue, Condition below) {
    return field(
        select(JOBS.PRIORITY)
            .from(JOBS)
            .where(JobPredicates.PENDING)
            .and(JOBS.QUEUE.eq(queue))
            .and(below)
            .orderBy(JOBS.PRIORITY.desc())
            .limit(inline(1)));
  }

  static Arguments arguments(List<String> queues) {
    return new Arguments().texts("queues", queues, queue -> queue);
  }

  static Lane read(ResultSet row) throws SQLException {
    return new Lane(row.getString(1), row.getInt(2));
  }
}
