package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.rand;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.model.tables.Jobs;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.JobPredicates;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.SelectSeekStep1;

/**
 * Takes back jobs whose lease ran out.
 *
 * <pre>{@code
 * WITH expired AS MATERIALIZED (SELECT id, current_execution_id, cancel_requested_at IS NOT NULL AS is_cancelled FROM jobs
 *                                WHERE status = 'running' AND current_execution_id > :after
 *                                  AND lease_expires_at < clock_timestamp()
 *                                  AND current_execution_id = (SELECT seen.current_execution_id FROM jobs AS seen WHERE seen.id = jobs.id)
 *                                ORDER BY current_execution_id LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED),
 * kept AS (UPDATE jobs SET status = CASE WHEN attempts - uncounted_attempts >= max_attempts THEN 'dead' ELSE 'pending' END, ...
 *            FROM expired WHERE jobs.id = expired.id AND NOT is_cancelled RETURNING ...),
 * deletable AS MATERIALIZED (SELECT id, ... FROM jobs WHERE id = ANY (ARRAY(SELECT id FROM expired WHERE is_cancelled))
 *                             ORDER BY id FOR UPDATE SKIP LOCKED),
 * cancelled AS (...), archived AS (...), ended AS MATERIALIZED (...),
 * closed AS (UPDATE job_executions SET status = CASE ended.status WHEN 'cancelled' .. ELSE 'lost' END, error_message = ..., ...)
 * SELECT ... FROM ended
 * }</pre>
 *
 * <p>Walks the running index by execution, oldest first, so that a heartbeat need not keep an index
 * on the lease; {@link RescueMark} tells where the walk begins. Decides retry or dead itself:
 * nothing else looks at the counters of a job whose worker is gone. Jobs that were lost together
 * come back spread over {@code :spread}.
 *
 * <p>Locks: expired rows in execution order, then those of them that are cancelled again, strongly
 * enough for their delete ({@link AttemptCtes}); neither lock waits, so their orders cannot
 * deadlock. The weaker one is compatible with a foreign key of an open transaction, which so keeps
 * no job from being rescued, and only a cancelled one from being deleted. A row in motion is either
 * held (skipped) or was renewed, in which case PostgreSQL looks at the lease again after it has the
 * lock. A row that was claimed anew meanwhile is left to the next sweep, however short its lease.
 */
final class RescueStatement {

  /** What the audit says of an attempt nobody ended. */
  static final String LOST = "The lease ran out: the worker died, hung, or lost the database.";

  private static final Param<Long> AFTER = param("after", Long.class);
  private static final Param<Long> LIMIT = param("limit", Long.class);
  private static final Param<Long> SPREAD = param("spread", Long.class);

  private static final Field<Long> EXPIRED_EXECUTION =
      field(name("expired", JOBS.CURRENT_EXECUTION_ID.getName()), Long.class);

  private RescueStatement() {}

  static ResultQuery<?> query() {
    CommonTableExpression<?> expired =
        name("expired").asMaterialized(expired().limit(LIMIT).forNoKeyUpdate().skipLocked());
    CommonTableExpression<?> kept =
        name("kept")
            .as(
                Deaths.orPending(
                        update(JOBS),
                        Deaths.USED_UP,
                        DatabaseClock.plusMicros(
                            DatabaseClock.NOW, SPREAD.mul(rand()).cast(Long.class)))
                    .set(JOBS.LAST_ERROR, inline(LOST))
                    .from(expired)
                    .where(JOBS.ID.eq(field(name("expired", "id"), Long.class)))
                    .and(AttemptCtes.isKept(expired))
                    .returningResult(AttemptCtes.keptColumns(EXPIRED_EXECUTION)));
    CommonTableExpression<?> deletable = AttemptCtes.deletable(expired);
    CommonTableExpression<?> cancelled = AttemptCtes.cancelled(deletable);
    CommonTableExpression<?> ended = AttemptCtes.ended(kept, cancelled);
    CommonTableExpression<?> closed =
        name("closed")
            .as(
                update(JOB_EXECUTIONS)
                    .set(
                        JOB_EXECUTIONS.STATUS,
                        when(
                                AttemptCtes.statusOf(ended)
                                    .eq(JobPredicates.literal(JobStatus.CANCELLED)),
                                AttemptCtes.literal(ExecutionStatus.CANCELLED))
                            .otherwise(AttemptCtes.literal(ExecutionStatus.LOST)))
                    .set(JOB_EXECUTIONS.FINISHED_AT, DatabaseClock.NOW)
                    .set(JOB_EXECUTIONS.ERROR_MESSAGE, inline(LOST))
                    .from(ended)
                    .where(AttemptCtes.auditRowOf(ended, AuditWeeks.ALL))
                    .returning(JOB_EXECUTIONS.ID));
    return with(
            expired,
            kept,
            deletable,
            cancelled,
            Archive.of(cancelled, JobStatus.CANCELLED),
            ended,
            closed)
        .select(
            field(name("ended", "id"), Long.class),
            field(name("ended", AttemptCtes.EXECUTION_ID), Long.class),
            AttemptCtes.statusOf(ended),
            field(name("ended", "queue"), String.class),
            field(name("ended", "kind"), String.class),
            field(name("ended", "started_at"), Instant.class))
        .from(ended);
  }

  /**
   * The execution of the first job that {@link #query} would take back, to step over it when it
   * cannot be.
   */
  static ResultQuery<?> firstQuery() {
    return select(min(EXPIRED_EXECUTION)).from(expired().limit(inline(1)).asTable("expired"));
  }

  /** The execution of the oldest attempt that runs behind {@code after}, for {@link RescueMark}. */
  static ResultQuery<?> oldestRunningQuery() {
    return select(min(JOBS.CURRENT_EXECUTION_ID))
        .from(JOBS)
        .where(JobPredicates.RUNNING)
        .and(JOBS.CURRENT_EXECUTION_ID.gt(AFTER));
  }

  private static SelectSeekStep1<?, Long> expired() {
    return select(JOBS.ID, JOBS.CURRENT_EXECUTION_ID, AttemptCtes.isCancelled())
        .from(JOBS)
        .where(JobPredicates.RUNNING)
        .and(JOBS.CURRENT_EXECUTION_ID.gt(AFTER))
        .and(JOBS.LEASE_EXPIRES_AT.lt(DatabaseClock.NOW))
        .and(isStillTheAttemptOfTheSnapshot())
        .orderBy(JOBS.CURRENT_EXECUTION_ID);
  }

  /**
   * PostgreSQL looks again at a row that changed before it was locked, but reads other rows as they
   * were: the audit row of an attempt that began meanwhile could not be closed.
   */
  private static Condition isStillTheAttemptOfTheSnapshot() {
    Jobs seen = JOBS.as("seen");
    return JOBS.CURRENT_EXECUTION_ID.eq(
        select(seen.CURRENT_EXECUTION_ID).from(seen).where(seen.ID.eq(JOBS.ID)));
  }

  static Arguments firstArguments(long after) {
    return new Arguments().number("after", after);
  }

  static Arguments arguments(long after, Duration spread, int limit) {
    return new Arguments()
        .number("after", after)
        .number("limit", limit)
        .number("spread", DatabaseClock.micros(spread));
  }

  static Rescued read(ResultSet row) throws SQLException {
    return new Rescued(
        new Execution(
            new JobId(row.getLong(1)),
            new ExecutionId(row.getLong(2)),
            row.getObject(6, OffsetDateTime.class).toInstant()),
        row.getString(4),
        row.getString(5),
        JobStatus.of(row.getString(3)));
  }
}
