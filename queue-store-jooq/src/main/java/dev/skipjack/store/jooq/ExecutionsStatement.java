package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.orderBy;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.rowNumber;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobExecution;
import dev.skipjack.api.JobId;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jspecify.annotations.Nullable;

/**
 * The latest attempts of a job, the last first.
 *
 * <pre>{@code
 * SELECT ..., CASE WHEN row_number() OVER (ORDER BY attempt DESC, id DESC) <= 20 THEN error_stack END
 *   FROM job_executions WHERE job_id = :id ORDER BY attempt DESC, id DESC LIMIT 1000
 * }</pre>
 *
 * <p>Probes {@code job_executions_job_idx} of each partition and reads every attempt of this job:
 * the index has no order of attempts, which only a job that snoozed for years would be glad of. The
 * stacks of a thousand failures would be 30 MB, so only the latest attempts have theirs. Locks
 * nothing.
 */
final class ExecutionsStatement {

  private static final Param<Long> ID = param("id", Long.class);

  private ExecutionsStatement() {}

  static ResultQuery<?> query() {
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
            when(
                rowNumber()
                    .over(orderBy(JOB_EXECUTIONS.ATTEMPT.desc(), JOB_EXECUTIONS.ID.desc()))
                    .le(inline(ReadBounds.STACKS)),
                JOB_EXECUTIONS.ERROR_STACK))
        .from(JOB_EXECUTIONS)
        .where(JOB_EXECUTIONS.JOB_ID.eq(ID))
        .orderBy(JOB_EXECUTIONS.ATTEMPT.desc(), JOB_EXECUTIONS.ID.desc())
        .limit(inline(ReadBounds.EXECUTIONS));
  }

  static Arguments arguments(JobId job) {
    return new Arguments().number("id", job.value());
  }

  static JobExecution read(ResultSet row) throws SQLException {
    return new JobExecution(
        new ExecutionId(row.getLong(1)),
        row.getInt(2),
        ExecutionStatus.of(row.getString(3)),
        row.getString(4),
        row.getString(5),
        Columns.requireInstant(row, 6),
        Columns.instant(row, 7),
        error(row.getString(8), row.getString(9), row.getString(10)));
  }

  private static @Nullable JobError error(
      @Nullable String errorClass, @Nullable String message, @Nullable String stack) {
    return message == null ? null : new JobError(errorClass, message, stack);
  }
}
