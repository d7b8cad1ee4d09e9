package dev.skipjack.store.jooq;

import static dev.skipjack.model.Sequences.JOB_EXECUTION_ID_SEQ;
import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.NextId;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.JobInsert;
import dev.skipjack.store.jooq.internal.JobInsert.Accepted;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
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
 * Inserts a job as running, with its audit row, for a worker of this process that has kept a slot
 * free for it. The job is inserted as pending if its queue is paused, fair or limited, or if a
 * claim would return more other jobs before it than the worker has other free slots.
 *
 * <pre>{@code
 * WITH lane AS MATERIALIZED (
 *   SELECT own.priority, own.max_attempts, own.is_served AND
 *          (SELECT count(*) FROM (SELECT id FROM jobs WHERE status = 'pending' AND queue = :queue AND priority = own.priority
 *              AND scheduled_at <= statement_timestamp() ORDER BY scheduled_at, id LIMIT 9) AS due)
 *        + (SELECT count(*) FROM (SELECT id FROM jobs WHERE status = 'pending' AND queue = :queue AND priority > own.priority
 *            ORDER BY priority, scheduled_at, id LIMIT 9) AS higher) <= :spare AS is_free
 *     FROM (SELECT coalesce(:priority, default_priority, 0) AS priority, ..., <neither paused nor fair nor limited> AS is_served
 *             FROM (SELECT 1) AS one LEFT JOIN job_queues ON queue = :queue) AS own),
 * inserted AS (INSERT INTO jobs (..., status, current_execution_id, locked_by, started_at, lease_expires_at, attempts)
 *              SELECT ..., CASE WHEN lane.is_free THEN 'running' ELSE 'pending' END,
 *                     CASE WHEN lane.is_free THEN nextval('job_execution_id_seq') END, ... FROM lane RETURNING ...),
 * opened AS (INSERT INTO job_executions (...) SELECT ... FROM inserted WHERE current_execution_id IS NOT NULL)
 * SELECT ... FROM inserted
 * }</pre>
 *
 * <p>Like the enqueue of a single job, it needs no settings, because it has only one sensible plan
 * ({@link LaneCheck}).
 *
 * <p>Locks nothing that another transaction can see. A job that is enqueued or becomes due at the
 * same moment may start after this one, as if it had come later.
 */
final class DirectStartStatement {

  private static final Param<String> WORKER = param("worker", String.class);
  private static final Param<Long> LEASE = param("lease", Long.class);

  private static final Table<?> LANE = org.jooq.impl.DSL.table(name("lane"));
  private static final Condition IS_FREE =
      condition(field(name("lane", "is_free"), SQLDataType.BOOLEAN));
  private static final Field<Short> OWN_PRIORITY =
      field(name("own", "priority"), JOBS.PRIORITY.getDataType());
  private static final Field<Integer> OWN_MAX_ATTEMPTS =
      field(name("own", "max_attempts"), JOBS.MAX_ATTEMPTS.getDataType());
  private static final Field<Instant> NOW =
      field("pg_catalog.clock_timestamp()", SQLDataType.INSTANT);

  private DirectStartStatement() {}

  /**
   * The job to insert.
   *
   * @param worker the worker that has kept a slot free
   * @param lease the duration of the lease
   * @param spare how many jobs may come first, because the worker has free slots for them
   */
  record Request(NewJob job, WorkerId worker, Duration lease, int spare) {}

  /**
   * An inserted job.
   *
   * @param started the job as a claim would have returned it, or null if it is pending
   */
  record Inserted(JobId id, @Nullable ClaimedJob started) {}

  static Statement<Request, Inserted> of(DSLContext dialect) {
    return of(dialect, noCondition());
  }

  /**
   * Returns the statement for a caller's transaction. If that is serializable, the job is inserted
   * as pending, and the jobs that come first are not read: the transaction could otherwise fail
   * because of jobs that others enqueue. A job that has only one attempt is pending as well,
   * because a process that ends between the commit and the start would use up that attempt.
   */
  static Statement<Request, Inserted> inTransaction(DSLContext dialect) {
    return of(
        dialect,
        condition(
                "pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.<>) 'serializable'")
            .and(LaneCheck.is(OWN_MAX_ATTEMPTS, ">", inline(1))));
  }

  private static Statement<Request, Inserted> of(DSLContext dialect, Condition rule) {
    return Statement.selfContained(
        dialect,
        query(rule),
        request ->
            JobInsert.argumentsOfOne(Accepted.UNORDERED, request.job())
                .text("worker", request.worker().toString())
                .number("lease", DatabaseClock.micros(request.lease()))
                .integer("spare", LaneCheck.spare(request.spare())),
        DirectStartStatement::read);
  }

  private static ResultQuery<?> query(Condition rule) {
    CommonTableExpression<?> lane = lane(rule);
    CommonTableExpression<?> inserted =
        name("inserted")
            .as(
                JobInsert.insertAlone(attempt(), LANE)
                    .returning(
                        ClaimStatement.returned(
                            when(JOBS.CURRENT_EXECUTION_ID.isNotNull(), JOBS.PAYLOAD)
                                .as(JOBS.PAYLOAD))));
    CommonTableExpression<?> opened =
        ClaimStatement.opened(
            inserted,
            condition(
                "{0} is not null", field(name("inserted", JOBS.CURRENT_EXECUTION_ID.getName()))));
    return with(lane, inserted, opened).select().from(inserted);
  }

  private static CommonTableExpression<?> lane(Condition rule) {
    Table<?> own =
        select(
                JobInsert.priorityBesideQueue().as(JOBS.PRIORITY),
                JobInsert.maxAttemptsBesideQueue().as(JOBS.MAX_ATTEMPTS),
                field(LaneCheck.isServed()).as("is_served"))
            .from(select(inline(1).as("one")).asTable("one"))
            .leftJoin(JOB_QUEUES)
            .on(LaneCheck.is(JOB_QUEUES.QUEUE, "=", JobInsert.queueAlone()))
            .asTable("own");
    return name("lane")
        .asMaterialized(
            select(
                    OWN_PRIORITY,
                    OWN_MAX_ATTEMPTS,
                    field(
                            rule.and(field(name("own", "is_served"), SQLDataType.BOOLEAN))
                                .and(
                                    LaneCheck.othersHaveSlots(
                                        JobInsert.queueAlone(),
                                        OWN_PRIORITY,
                                        LaneCheck.statementStart())))
                        .as("is_free"))
                .from(own));
  }

  private static Map<Field<?>, Field<?>> attempt() {
    Map<Field<?>, Field<?>> values = new LinkedHashMap<>();
    values.put(JOBS.PRIORITY, field(name("lane", "priority"), JOBS.PRIORITY.getDataType()));
    values.put(
        JOBS.MAX_ATTEMPTS, field(name("lane", "max_attempts"), JOBS.MAX_ATTEMPTS.getDataType()));
    values.put(
        JOBS.STATUS,
        when(IS_FREE, JobPredicates.literal(JobStatus.RUNNING))
            .otherwise(JobPredicates.literal(JobStatus.PENDING)));
    values.put(JOBS.CURRENT_EXECUTION_ID, when(IS_FREE, NextId.of(JOB_EXECUTION_ID_SEQ)));
    values.put(JOBS.LOCKED_BY, when(IS_FREE, WORKER));
    values.put(JOBS.STARTED_AT, when(IS_FREE, NOW));
    values.put(
        JOBS.LEASE_EXPIRES_AT,
        when(
            IS_FREE,
            field(
                "{0} OPERATOR(pg_catalog.+) (cast({1} as double precision) OPERATOR(pg_catalog.*) interval '1 microsecond')",
                SQLDataType.INSTANT, NOW, LEASE)));
    values.put(JOBS.ATTEMPTS, when(IS_FREE, inline(1)).otherwise(inline(0)));
    return values;
  }

  private static Inserted read(Row row) throws SQLException {
    JobId id = new JobId(row.number(JOBS.ID));
    if (row.numberOrNull(JOBS.CURRENT_EXECUTION_ID) == null) {
      return new Inserted(id, null);
    }
    return new Inserted(id, ClaimStatement.read(row));
  }
}
