package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.selectCount;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.LimitColumns;
import dev.skipjack.sql.LooseScan;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.PausePredicates;
import dev.skipjack.sql.RateLimit;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Instant;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Lists the fair and the limited queues that are not paused, with the use of their limits and rates
 * and the number of their due jobs.
 *
 * <pre>{@code
 * WITH RECURSIVE lane AS (lanes of all queues)
 * SELECT queue, limit_name, max_running, ...,
 *        (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE status = 'running' AND limit_name = job_queues.limit_name
 *                                LIMIT greatest(10000, max_running)) AS used) AS running,
 *        (SELECT count(*) FROM (SELECT 1 FROM lane CROSS JOIN LATERAL (
 *               SELECT 1 FROM jobs WHERE status = 'pending' AND queue = lane.queue AND priority = lane.priority
 *                  AND scheduled_at <= now() LIMIT 1000) AS job WHERE lane.queue = job_queues.queue LIMIT 1000) AS due) AS due,
 *        (when the rate of the limit opens, see RateLimit)
 *   FROM job_queues LEFT JOIN job_limits ON name = limit_name
 *  WHERE (fair OR limit_name IS NOT NULL) AND NOT <paused now> ORDER BY queue LIMIT 1000
 * }</pre>
 *
 * <p>{@link LooseScan} explains how the lanes are found. Locks nothing.
 */
final class LimitedQueuesStatement {

  /** The condition that a queue is fair or limited, and not paused. */
  static final Condition SERVED =
      condition(JOB_QUEUES.FAIR)
          .or(JOB_QUEUES.LIMIT_NAME.isNotNull())
          .and(not(PausePredicates.PAUSED));

  private static final Field<Integer> RUNNING = field(name("running"), Integer.class);
  private static final Field<Integer> DUE = field(name("due"), Integer.class);
  private static final Field<Instant> OPENS_AT = field(name("opens_at"), SQLDataType.INSTANT);

  private LimitedQueuesStatement() {}

  /**
   * A queue.
   *
   * @param limit its limit; null if it has none
   * @param numbers the numbers of the limit; all of them are empty if it has none
   * @param running the number of running jobs of the limit
   * @param due the number of due jobs, up to {@link HeldLane#DUE_COUNTED}
   * @param opensAt when the rate of the whole limit, or a throttle, allows the next start; null if
   *     it allows one now
   */
  record Queue(
      String queue,
      @Nullable String limit,
      Limit numbers,
      int running,
      int due,
      @Nullable Instant opensAt) {}

  static Statement<NoRequest, Queue> of(DSLContext dialect) {
    Table<?> used =
        selectOne()
            .from(JOBS)
            .where(JobPredicates.RUNNING)
            .and(JOBS.LIMIT_NAME.eq(JOB_QUEUES.LIMIT_NAME))
            .limit(greatest(inline(ReadBounds.EXACT), JOB_LIMITS.MAX_RUNNING))
            .asTable("used");
    Table<?> job =
        selectOne()
            .from(JOBS)
            .where(JobPredicates.PENDING)
            .and(JOBS.QUEUE.eq(LooseScan.of("lane", JOBS.QUEUE)))
            .and(JOBS.PRIORITY.eq(LooseScan.of("lane", JOBS.PRIORITY)))
            .and(JOBS.SCHEDULED_AT.le(DatabaseClock.TRANSACTION_START))
            .limit(inline(HeldLane.DUE_COUNTED))
            .asTable("job");
    Table<?> due =
        selectOne()
            .from(table(name("lane")))
            .crossJoin(lateral(job))
            .where(LooseScan.of("lane", JOBS.QUEUE).eq(JOB_QUEUES.QUEUE))
            .limit(inline(HeldLane.DUE_COUNTED))
            .asTable("due");
    return Statement.of(
        dialect,
        withRecursive(LooseScan.lanes("lane"))
            .select(JOB_QUEUES.QUEUE, JOB_QUEUES.LIMIT_NAME)
            .select(LimitColumns.ALL)
            .select(
                field(selectCount().from(used)).as(RUNNING), field(selectCount().from(due)).as(DUE))
            .select(
                RateLimit.OF_ROW
                    .opensAt(RateLimit.isOverAll(), inline(RateLimit.WHOLE_LIMIT))
                    .as(OPENS_AT))
            .from(JOB_QUEUES)
            .leftJoin(JOB_LIMITS)
            .on(JOB_LIMITS.NAME.eq(JOB_QUEUES.LIMIT_NAME))
            .where(SERVED)
            .orderBy(JOB_QUEUES.QUEUE)
            .limit(inline(ReadBounds.LIMITS)),
        LimitedQueuesStatement::read);
  }

  private static Queue read(Row row) throws SQLException {
    String limit = row.textOrNull(JOB_QUEUES.LIMIT_NAME);
    Limit numbers = limit == null ? Limit.none() : LimitColumns.read(row);
    return new Queue(
        row.text(JOB_QUEUES.QUEUE),
        limit,
        numbers,
        row.integer(RUNNING),
        row.integer(DUE),
        row.instantOrNull(OPENS_AT));
  }
}
