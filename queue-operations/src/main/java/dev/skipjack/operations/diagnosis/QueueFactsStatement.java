package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.LooseScan;
import dev.skipjack.sql.PausePredicates;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.sql.Timestamps;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Reads what may delay a due job in its queue: a pause, the jobs ahead of it, and the running jobs.
 *
 * <pre>{@code
 * WITH RECURSIVE lane AS (lanes of the queue with a higher priority)
 * SELECT paused_at, paused_until, paused_by, pause_reason, higher.*, before.*, running.*
 *   FROM (SELECT count(*), count(*) FILTER (WHERE kind = ANY (:kinds))
 *           FROM (SELECT due.kind FROM lane CROSS JOIN LATERAL (
 *                        SELECT kind FROM jobs WHERE status = 'pending' AND queue = lane.queue AND priority = lane.priority
 *                           AND scheduled_at <= now() ORDER BY scheduled_at, id LIMIT 10001) AS due LIMIT 10001) AS earlier) AS higher
 *  CROSS JOIN (the same for the jobs with the queue and the priority and (scheduled_at, id) < (:scheduled_at, :id)) AS before
 *  CROSS JOIN (SELECT count(*), count(*) FILTER (WHERE locked_by = ANY (:workers))
 *                FROM (SELECT queue, locked_by, lease_expires_at FROM jobs WHERE status = 'running'
 *                       ORDER BY current_execution_id LIMIT 10001) AS leased
 *               WHERE queue = :queue AND lease_expires_at > now()) AS running
 *   LEFT JOIN job_queues ON queue = :queue AND <paused now>
 * }</pre>
 *
 * <p>A job whose lease has expired takes no slot. {@link LooseScan} explains how the lanes are
 * found. Locks nothing.
 */
final class QueueFactsStatement {

  /** The maximum number of jobs that are counted. If a count reaches it, there may be more jobs. */
  static final int WINDOW = 10_001;

  private static final Field<String> QUEUE = Texts.param("queue");
  private static final Param<Integer> PRIORITY = param("priority", Integer.class);
  private static final Param<Long> ID = param("id", Long.class);
  private static final Field<Instant> SCHEDULED_AT =
      cast(param("scheduled_at", String.class), SQLDataType.INSTANT);
  private static final Field<Integer> HIGHER_JOBS = number("higher", "jobs");
  private static final Field<Integer> HIGHER_SERVED = number("higher", "served");
  private static final Field<Integer> BEFORE_JOBS = number("before", "jobs");
  private static final Field<Integer> BEFORE_SERVED = number("before", "served");
  private static final Field<Integer> RUNNING_JOBS = number("running", "jobs");
  private static final Field<Integer> RUNNING_TAKEN = number("running", "taken");

  private QueueFactsStatement() {}

  /**
   * The job and the workers that could run it.
   *
   * @param able the living workers that serve the job's queue and handle its kind
   */
  record Request(JobFacts job, List<WorkerFactsStatement.Facts> able) {}

  /**
   * The state of the queue, and the jobs that a due job waits for in it.
   *
   * @param pause null if the queue is not paused
   * @param older the number of due jobs that come before the job in its queue, up to {@link
   *     #WINDOW}
   * @param before those among them that the workers have handlers for
   * @param running the number of running jobs of the queue whose leases are valid
   * @param taken those among them that the workers run
   */
  record Facts(@Nullable PauseFacts pause, int older, int before, int running, int taken) {}

  static Statement<Request, Facts> of(DSLContext dialect) {
    Table<?> higher = counted(higher(), "higher");
    Table<?> before = counted(before(), "before");
    ResultQuery<?> query =
        withRecursive(lanes())
            .select(PauseFacts.COLUMNS)
            .select(
                HIGHER_JOBS, HIGHER_SERVED, BEFORE_JOBS, BEFORE_SERVED, RUNNING_JOBS, RUNNING_TAKEN)
            .from(higher)
            .crossJoin(before)
            .crossJoin(running())
            .leftJoin(JOB_QUEUES)
            .on(JOB_QUEUES.QUEUE.eq(QUEUE))
            .and(PausePredicates.PAUSED);
    return Statement.of(dialect, query, QueueFactsStatement::arguments, QueueFactsStatement::read);
  }

  private static CommonTableExpression<?> lanes() {
    return LooseScan.lanes(
        "lane", JOBS.QUEUE.eq(QUEUE).and(JOBS.PRIORITY.gt(PRIORITY.cast(SQLDataType.SMALLINT))));
  }

  private static Table<?> higher() {
    Table<?> due =
        select(JOBS.KIND)
            .from(JOBS)
            .where(JobPredicates.PENDING)
            .and(JOBS.QUEUE.eq(LooseScan.of("lane", JOBS.QUEUE)))
            .and(JOBS.PRIORITY.eq(LooseScan.of("lane", JOBS.PRIORITY)))
            .and(JOBS.SCHEDULED_AT.le(DatabaseClock.TRANSACTION_START))
            .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
            .limit(inline(WINDOW))
            .asTable("due");
    return select(field(name("due", "kind"), SQLDataType.CLOB))
        .from(table(name("lane")))
        .crossJoin(lateral(due))
        .limit(inline(WINDOW))
        .asTable("earlier");
  }

  private static Table<?> before() {
    return select(JOBS.KIND)
        .from(JOBS)
        .where(JobPredicates.PENDING)
        .and(JOBS.QUEUE.eq(QUEUE))
        .and(JOBS.PRIORITY.eq(PRIORITY.cast(SQLDataType.SMALLINT)))
        .and(row(JOBS.SCHEDULED_AT, JOBS.ID).lt(row(SCHEDULED_AT, ID)))
        .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
        .limit(inline(WINDOW))
        .asTable("earlier");
  }

  /** Counts jobs, and those among them that the workers have handlers for. */
  private static Table<?> counted(Table<?> jobs, String alias) {
    Condition served =
        field(name("earlier", "kind"), SQLDataType.CLOB).eq(any(Texts.array("kinds")));
    return select(count().as("jobs"), count().filterWhere(served).as("served"))
        .from(jobs)
        .asTable(alias);
  }

  private static Table<?> running() {
    Table<?> leased =
        select(JOBS.QUEUE, JOBS.LOCKED_BY, JOBS.LEASE_EXPIRES_AT)
            .from(JOBS)
            .where(JobPredicates.RUNNING)
            .orderBy(JOBS.CURRENT_EXECUTION_ID)
            .limit(inline(WINDOW))
            .asTable("leased");
    Condition taken =
        field(name("leased", "locked_by"), SQLDataType.CLOB).eq(any(Texts.array("workers")));
    return select(count().as("jobs"), count().filterWhere(taken).as("taken"))
        .from(leased)
        .where(LooseScan.of("leased", JOBS.QUEUE).eq(QUEUE))
        .and(
            field(name("leased", "lease_expires_at"), SQLDataType.INSTANT)
                .gt(DatabaseClock.TRANSACTION_START))
        .asTable("running");
  }

  private static Field<Integer> number(String alias, String column) {
    return field(name(alias, column), SQLDataType.INTEGER).as(alias + "_" + column);
  }

  private static Arguments arguments(Request request) {
    JobFacts job = request.job();
    List<String> kinds =
        request.able().stream().flatMap(worker -> worker.kinds().stream()).distinct().toList();
    return new Arguments()
        .text("queue", job.queue())
        .integer("priority", job.priority())
        .number("id", job.id().value())
        .text("scheduled_at", Timestamps.text(job.scheduledAt()))
        .texts("kinds", kinds, kind -> kind)
        .texts("workers", request.able(), WorkerFactsStatement.Facts::identity);
  }

  private static Facts read(Row row) throws SQLException {
    return new Facts(
        PauseFacts.read(row),
        Math.min(WINDOW, row.integer(HIGHER_JOBS) + row.integer(BEFORE_JOBS)),
        Math.min(WINDOW, row.integer(HIGHER_SERVED) + row.integer(BEFORE_SERVED)),
        row.integer(RUNNING_JOBS),
        row.integer(RUNNING_TAKEN));
  }
}
