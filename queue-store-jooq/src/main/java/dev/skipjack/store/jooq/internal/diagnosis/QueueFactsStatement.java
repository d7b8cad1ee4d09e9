package dev.skipjack.store.jooq.internal.diagnosis;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectCount;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.JobPredicates;
import dev.skipjack.store.jooq.internal.sql.LooseScan;
import dev.skipjack.store.jooq.internal.sql.PausePredicates;
import dev.skipjack.store.jooq.internal.sql.Statement;
import dev.skipjack.store.jooq.internal.sql.Texts;
import java.time.Instant;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a due job waits for in its queue: a pause, the jobs that are served before it, and the
 * running jobs.
 *
 * <pre>{@code
 * WITH RECURSIVE lane AS (lanes of the queue with a higher priority)
 * SELECT paused_at, paused_until,
 *        (SELECT count(*) FROM (SELECT 1 FROM lane CROSS JOIN LATERAL (
 *                SELECT 1 FROM jobs WHERE status = 'pending' AND queue = lane.queue AND priority = lane.priority
 *                   AND scheduled_at <= now() ORDER BY scheduled_at, id LIMIT 1001) AS due LIMIT 1001) AS higher) AS higher,
 *        (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE status = 'pending' AND queue = :queue AND priority = :priority
 *                   AND (scheduled_at, id) < (:scheduled_at, :id) ORDER BY scheduled_at, id LIMIT 1001) AS before) AS before,
 *        (SELECT count(*) FROM (SELECT queue FROM jobs WHERE status = 'running' ORDER BY current_execution_id LIMIT 10001) AS running
 *          WHERE queue = :queue) AS running
 *   FROM one row LEFT JOIN job_queues ON queue = :queue AND <paused now>
 * }</pre>
 *
 * <p>{@link LooseScan} explains how the lanes are found. Locks nothing.
 */
final class QueueFactsStatement {

  /** The upper bound of a count of jobs. If a count reaches it, more jobs may exist. */
  static final int WINDOW = 1_001;

  private static final int RUNNING_WINDOW = 10_001;

  private static final Field<String> QUEUE = Texts.param("queue");
  private static final Param<Integer> PRIORITY = param("priority", Integer.class);
  private static final Param<Long> ID = param("id", Long.class);
  private static final Field<Instant> SCHEDULED_AT =
      cast(param("scheduled_at", String.class), SQLDataType.INSTANT);

  private QueueFactsStatement() {}

  /**
   * The state of the queue, and the jobs that a due job waits for in it.
   *
   * @param pausedAt when the queue was paused; null if it is not paused
   * @param before the number of due jobs that are served before the job, up to {@link #WINDOW}
   * @param running the number of running jobs of the queue
   */
  record Facts(
      @Nullable Instant pausedAt, @Nullable Instant pausedUntil, int before, int running) {}

  static Statement<JobFacts, Facts> of(DSLContext dialect) {
    Field<Integer> higher = field(selectCount().from(higher())).as("higher");
    Field<Integer> before = field(selectCount().from(before())).as("before");
    Table<?> ofAllQueues =
        select(JOBS.QUEUE)
            .from(JOBS)
            .where(JobPredicates.RUNNING)
            .orderBy(JOBS.CURRENT_EXECUTION_ID)
            .limit(inline(RUNNING_WINDOW))
            .asTable("running");
    Field<Integer> running =
        field(selectCount().from(ofAllQueues).where(LooseScan.of("running", JOBS.QUEUE).eq(QUEUE)))
            .as("running");
    ResultQuery<?> query =
        withRecursive(lanes())
            .select(JOB_QUEUES.PAUSED_AT, JOB_QUEUES.PAUSED_UNTIL, higher, before, running)
            .from(selectOne().asTable("one"))
            .leftJoin(JOB_QUEUES)
            .on(JOB_QUEUES.QUEUE.eq(QUEUE))
            .and(PausePredicates.PAUSED);
    return Statement.of(
        dialect,
        query,
        QueueFactsStatement::arguments,
        row ->
            new Facts(
                row.instantOrNull(JOB_QUEUES.PAUSED_AT),
                row.instantOrNull(JOB_QUEUES.PAUSED_UNTIL),
                Math.min(WINDOW, row.integer(higher) + row.integer(before)),
                row.integer(running)));
  }

  private static CommonTableExpression<?> lanes() {
    return LooseScan.lanes(
        "lane", JOBS.QUEUE.eq(QUEUE).and(JOBS.PRIORITY.gt(PRIORITY.cast(SQLDataType.SMALLINT))));
  }

  private static Table<?> higher() {
    Table<?> due =
        selectOne()
            .from(JOBS)
            .where(JobPredicates.PENDING)
            .and(JOBS.QUEUE.eq(LooseScan.of("lane", JOBS.QUEUE)))
            .and(JOBS.PRIORITY.eq(LooseScan.of("lane", JOBS.PRIORITY)))
            .and(JOBS.SCHEDULED_AT.le(DatabaseClock.TRANSACTION_START))
            .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
            .limit(inline(WINDOW))
            .asTable("due");
    return selectOne()
        .from(table(name("lane")))
        .crossJoin(lateral(due))
        .limit(inline(WINDOW))
        .asTable("higher");
  }

  private static Table<?> before() {
    return selectOne()
        .from(JOBS)
        .where(JobPredicates.PENDING)
        .and(JOBS.QUEUE.eq(QUEUE))
        .and(JOBS.PRIORITY.eq(PRIORITY.cast(SQLDataType.SMALLINT)))
        .and(row(JOBS.SCHEDULED_AT, JOBS.ID).lt(row(SCHEDULED_AT, ID)))
        .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
        .limit(inline(WINDOW))
        .asTable("before");
  }

  private static Arguments arguments(JobFacts job) {
    return new Arguments()
        .text("queue", job.queue())
        .integer("priority", job.priority())
        .number("id", job.id().value())
        .text("scheduled_at", job.scheduledAt().toString());
  }
}
