package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Statement;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Param;

/**
 * Finds out for which of a worker's executions cancellation was requested.
 *
 * <pre>{@code
 * SELECT current_execution_id FROM jobs
 *  WHERE id = ANY (:job_ids) AND current_execution_id = ANY (:execution_ids) AND cancel_requested_at IS NOT NULL
 * }</pre>
 *
 * <p>It makes one lookup by primary key per execution, about once a second while jobs run, and
 * usually returns nothing. Locks nothing, so it never waits.
 */
final class CancelRequestedStatement {

  private static final Param<Long[]> JOB_IDS = param("job_ids", Long[].class);
  private static final Param<Long[]> EXECUTION_IDS = param("execution_ids", Long[].class);

  private CancelRequestedStatement() {}

  static Statement<List<Execution>, ExecutionId> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(JOBS.CURRENT_EXECUTION_ID)
            .from(JOBS)
            .where(JOBS.ID.eq(any(JOB_IDS)))
            .and(JOBS.CURRENT_EXECUTION_ID.eq(any(EXECUTION_IDS)))
            .and(JOBS.CANCEL_REQUESTED_AT.isNotNull()),
        CancelRequestedStatement::arguments,
        row -> new ExecutionId(row.number(JOBS.CURRENT_EXECUTION_ID)));
  }

  private static Arguments arguments(List<Execution> executions) {
    return new Arguments()
        .bigints("job_ids", executions, execution -> execution.jobId().value())
        .bigints("execution_ids", executions, execution -> execution.id().value());
  }
}
