package dev.skipjack.steps;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_BATCHES;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.spi.Execution;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jspecify.annotations.Nullable;

/**
 * Reads whether the jobs of a join have ended.
 *
 * <pre>{@code
 * SELECT jobs.signals, job_batches.finished_at IS NOT NULL AS is_finished, (<a job is live>) AS has_live
 *   FROM jobs LEFT JOIN job_batches ON job_batches.id = :batch WHERE jobs.id = :job_id AND current_execution_id = :execution_id
 * }</pre>
 *
 * <p>Everything is read in one snapshot. If the batch finishes later, the statement that finishes
 * it changes {@code signals}, and the suspension compares them with those read here. Returns no row
 * if the execution has lost the job. Locks nothing.
 */
final class JoinStatement {

  private static final Param<Long> BATCH = param("batch", Long.class);

  private static final Field<Boolean> IS_FINISHED =
      field(JOB_BATCHES.FINISHED_AT.isNotNull().or(JOB_BATCHES.ID.isNull())).as("is_finished");
  private static final Field<Boolean> HAS_LIVE =
      field(BatchPredicates.hasLive(BATCH)).as("has_live");

  private JoinStatement() {}

  /** A job that joins the jobs of a batch. */
  record Request(Execution execution, long batch) {}

  /**
   * What was found.
   *
   * @param signals the number of signals that were sent to the job; null if none was
   * @param isFinished whether the batch has finished, or does not exist any more
   * @param hasLive whether a job of the batch is live
   */
  record Look(@Nullable Integer signals, boolean isFinished, boolean hasLive) {}

  static Statement<Request, Look> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(JOBS.SIGNALS, IS_FINISHED, HAS_LIVE)
            .from(JOBS)
            .leftJoin(JOB_BATCHES)
            .on(JOB_BATCHES.ID.eq(BATCH))
            .where(JOBS.ID.eq(param("job_id", Long.class)))
            .and(JOBS.CURRENT_EXECUTION_ID.eq(param("execution_id", Long.class))),
        request ->
            new Arguments()
                .number("batch", request.batch())
                .number("job_id", request.execution().jobId().value())
                .number("execution_id", request.execution().id().value()),
        row ->
            new Look(row.integerOrNull(JOBS.SIGNALS), row.flag(IS_FINISHED), row.flag(HAS_LIVE)));
  }
}
