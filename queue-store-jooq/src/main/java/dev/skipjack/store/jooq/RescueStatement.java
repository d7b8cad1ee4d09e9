package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.rand;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.model.tables.Jobs;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.SelectSeekStep1;

/**
 * Rescues the jobs whose lease has expired.
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
 * <p>It reads the running index, oldest execution first, so that heartbeats need no index on the
 * lease. {@link RescueMark} determines where it begins. The due times of jobs that are rescued
 * together are spread over {@code :spread}.
 *
 * <p>Locks expired rows in execution order, and then locks those of cancelled jobs again, strongly
 * enough to delete them ({@link AttemptCtes}). Neither lock waits, so their orders cannot deadlock.
 * A foreign key of an open transaction only prevents a cancelled job from being deleted, because
 * the weaker lock is compatible with it. A row that another transaction is changing is skipped.
 * PostgreSQL checks the lease again after it has locked the row. A job that was claimed again in
 * the meantime is left to the next rescue.
 */
final class RescueStatement {

  /** The error message of an attempt whose lease expired. */
  static final String LOST = "The lease ran out: the worker died, hung, or lost the database.";

  private static final Param<Long> AFTER = param("after", Long.class);
  private static final Param<Long> LIMIT = param("limit", Long.class);
  private static final Param<Long> SPREAD = param("spread", Long.class);

  private static final Field<Long> EXPIRED_EXECUTION =
      field(name("expired", JOBS.CURRENT_EXECUTION_ID.getName()), Long.class);

  private static final Field<Long> ID = field(name("ended", "id"), Long.class);
  private static final Field<Long> EXECUTION_ID =
      field(name("ended", AttemptCtes.EXECUTION_ID), Long.class);
  private static final Field<JobStatus> STATUS =
      field(name("ended", "status"), JOBS.STATUS.getDataType());
  private static final Field<String> QUEUE = field(name("ended", "queue"), String.class);
  private static final Field<String> KIND = field(name("ended", "kind"), String.class);
  private static final Field<Instant> STARTED_AT =
      field(name("ended", "started_at"), Instant.class);

  private RescueStatement() {}

  /**
   * The jobs to rescue.
   *
   * @param after the execution after which the search begins
   * @param spread the duration over which the jobs become due
   */
  record Request(long after, Duration spread, int limit) {}

  static Statement<Request, Rescued> of(DSLContext dialect) {
    CommonTableExpression<?> expired =
        name("expired").asMaterialized(expired().limit(LIMIT).forNoKeyUpdate().skipLocked());
    CommonTableExpression<?> kept =
        name("kept")
            .as(
                FailedTransition.orPending(
                        update(JOBS),
                        FailedTransition.EXHAUSTED,
                        DatabaseClock.plusMicros(
                            DatabaseClock.NOW, SPREAD.mul(rand()).cast(Long.class)))
                    .set(JOBS.LAST_ERROR, inline(LOST))
                    .set(JOBS.LAST_ERROR_CLASS, castNull(JOBS.LAST_ERROR_CLASS))
                    .from(expired)
                    .where(JOBS.ID.eq(field(name("expired", "id"), Long.class)))
                    .and(AttemptCtes.isKept(expired))
                    .returningResult(AttemptCtes.keptColumns(EXPIRED_EXECUTION)));
    AttemptCtes.Endings endings =
        AttemptCtes.endingsOfLockedForUpdateOnly(expired, kept, RescueStatement::closed);
    return Statement.of(
        dialect,
        with(endings.all())
            .select(ID, EXECUTION_ID, STATUS, QUEUE, KIND, STARTED_AT)
            .from(endings.ended()),
        RescueStatement::arguments,
        RescueStatement::read);
  }

  private static CommonTableExpression<?> closed(CommonTableExpression<?> ended) {
    Field<ExecutionStatus> status =
        AttemptCtes.cancelledOr(ended).otherwise(AttemptCtes.literal(ExecutionStatus.LOST));
    return AttemptCtes.closed(
        AttemptCtes.close(status).set(JOB_EXECUTIONS.ERROR_MESSAGE, inline(LOST)),
        ended,
        AuditWeeks.ALL);
  }

  /**
   * Creates the statement that finds the first execution after a given one whose job {@link #of}
   * would rescue. A sweep uses it to skip a job that cannot be rescued. Returns one row.
   */
  static Statement<Long, OptionalLong> firstExpired(DSLContext dialect) {
    return oldest(
        dialect,
        EXPIRED_EXECUTION,
        oldest -> select(oldest).from(expired().limit(inline(1)).asTable("expired")));
  }

  /**
   * Creates the statement that finds the oldest running execution after a given one, for {@link
   * RescueMark}. Returns one row.
   */
  static Statement<Long, OptionalLong> oldestRunning(DSLContext dialect) {
    return oldest(
        dialect,
        JOBS.CURRENT_EXECUTION_ID,
        oldest ->
            select(oldest)
                .from(JOBS)
                .where(JobPredicates.RUNNING)
                .and(JOBS.CURRENT_EXECUTION_ID.gt(AFTER)));
  }

  private static Statement<Long, OptionalLong> oldest(
      DSLContext dialect, Field<Long> execution, Function<Field<Long>, ResultQuery<?>> query) {
    Field<Long> oldest = min(execution);
    return Statement.of(
        dialect,
        query.apply(oldest),
        after -> new Arguments().number("after", after),
        row -> {
          Long found = row.numberOrNull(oldest);
          return found == null ? OptionalLong.empty() : OptionalLong.of(found);
        });
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
   * Returns the condition that the locked row has the execution that the snapshot shows. The audit
   * row of an attempt that began after the snapshot could not be closed.
   */
  private static Condition isStillTheAttemptOfTheSnapshot() {
    Jobs seen = JOBS.as("seen");
    return JOBS.CURRENT_EXECUTION_ID.eq(
        select(seen.CURRENT_EXECUTION_ID).from(seen).where(seen.ID.eq(JOBS.ID)));
  }

  private static Arguments arguments(Request request) {
    return new Arguments()
        .number("after", request.after())
        .number("limit", request.limit())
        .number("spread", DatabaseClock.micros(request.spread()));
  }

  private static Rescued read(Row row) throws SQLException {
    return new Rescued(
        new Execution(
            new JobId(row.number(ID)),
            new ExecutionId(row.number(EXECUTION_ID)),
            row.instant(STARTED_AT)),
        row.text(QUEUE),
        row.text(KIND),
        JobStatus.of(row.text(STATUS)));
  }
}
