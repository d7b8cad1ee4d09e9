package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.orderBy;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.rowNumber;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jspecify.annotations.Nullable;

/**
 * Lists the latest attempts of a job, latest first.
 *
 * <pre>{@code
 * SELECT ..., CASE WHEN row_number() OVER (ORDER BY attempt DESC, id DESC) <= 20 THEN error_stack END
 *   FROM job_executions WHERE job_id = :id ORDER BY attempt DESC, id DESC LIMIT 1000
 * }</pre>
 *
 * <p>It probes {@code job_executions_job_idx} of each partition and reads every attempt of the job.
 * The index is not ordered by attempt, because only jobs with very many attempts would benefit. The
 * stack traces of a thousand failures would take megabytes, so only those of the latest attempts
 * are listed. Locks nothing.
 */
final class ExecutionsStatement {

  private static final Param<Long> ID = param("id", Long.class);

  private static final Field<String> NO_STACK = castNull(JOB_EXECUTIONS.ERROR_STACK);

  private static final Field<String> STACK =
      when(
          rowNumber()
              .over(orderBy(JOB_EXECUTIONS.ATTEMPT.desc(), JOB_EXECUTIONS.ID.desc()))
              .le(inline(ReadBounds.STACKS)),
          JOB_EXECUTIONS.ERROR_STACK);

  private ExecutionsStatement() {}

  static Statement<JobId, JobExecution> of(DSLContext dialect) {
    return of(dialect, STACK);
  }

  /** Returns a statement that reads no stack traces, for roles that may not read them. */
  static Statement<JobId, JobExecution> withoutStacks(DSLContext dialect) {
    return of(dialect, NO_STACK);
  }

  private static Statement<JobId, JobExecution> of(DSLContext dialect, Field<String> stack) {
    return Statement.of(
        dialect,
        query(stack),
        job -> new Arguments().number("id", job.value()),
        row -> read(row, stack));
  }

  private static ResultQuery<?> query(Field<String> stack) {
    return select(
            JOB_EXECUTIONS.ID,
            JOB_EXECUTIONS.ATTEMPT,
            JOB_EXECUTIONS.STATUS,
            JOB_EXECUTIONS.QUEUE,
            JOB_EXECUTIONS.WORKER_ID,
            JOB_EXECUTIONS.STARTED_AT,
            JOB_EXECUTIONS.FINISHED_AT,
            JOB_EXECUTIONS.ERROR_CLASS,
            JOB_EXECUTIONS.ERROR_MESSAGE,
            stack)
        .from(JOB_EXECUTIONS)
        .where(JOB_EXECUTIONS.JOB_ID.eq(ID))
        .orderBy(JOB_EXECUTIONS.ATTEMPT.desc(), JOB_EXECUTIONS.ID.desc())
        .limit(inline(ReadBounds.EXECUTIONS));
  }

  private static JobExecution read(Row row, Field<String> stack) throws SQLException {
    return new JobExecution(
        new ExecutionId(row.number(JOB_EXECUTIONS.ID)),
        row.integer(JOB_EXECUTIONS.ATTEMPT),
        ExecutionStatus.of(row.text(JOB_EXECUTIONS.STATUS)),
        row.text(JOB_EXECUTIONS.QUEUE),
        row.textOrNull(JOB_EXECUTIONS.WORKER_ID),
        row.instant(JOB_EXECUTIONS.STARTED_AT),
        row.instantOrNull(JOB_EXECUTIONS.FINISHED_AT),
        error(row, stack));
  }

  private static @Nullable JobError error(Row row, Field<String> stack) throws SQLException {
    String message = row.textOrNull(JOB_EXECUTIONS.ERROR_MESSAGE);
    return message == null
        ? null
        : new JobError(row.textOrNull(JOB_EXECUTIONS.ERROR_CLASS), message, row.textOrNull(stack));
  }
}
