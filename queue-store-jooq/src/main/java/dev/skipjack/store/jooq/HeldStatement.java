package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_WORKERS;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.WorkerIdentity;
import java.util.UUID;
import org.jooq.DSLContext;
import org.jooq.Param;

/**
 * Finds the jobs that a worker holds, after a claim or a direct start whose response was lost.
 *
 * <pre>{@code
 * SELECT id, current_execution_id, ... FROM jobs
 *  WHERE status = 'running' AND current_execution_id > :after AND locked_by = :worker
 *    AND NOT EXISTS (SELECT FROM job_workers WHERE name || '/' || left(boot_id::text, 8) = :worker AND boot_id <> :boot_id)
 *  ORDER BY current_execution_id LIMIT :limit
 * }</pre>
 *
 * <p>Execution ids only increase, so the search begins after the last id that the worker has seen.
 * The statement reads the index entries of all later executions, but rarely runs. It finds nothing
 * if another worker has the same shortened name in {@code locked_by}, because the jobs may belong
 * to that worker.
 *
 * <p>Locks nothing. {@link RequeueStatement} then releases the executions.
 */
final class HeldStatement {

  private static final Param<String> WORKER = param("worker", String.class);
  private static final Param<UUID> BOOT_ID = param("boot_id", UUID.class);
  private static final Param<Long> AFTER = param("after", Long.class);
  private static final Param<Long> LIMIT = param("limit", Long.class);

  private HeldStatement() {}

  /**
   * The jobs to find.
   *
   * @param after the execution after which the search begins
   */
  record Request(WorkerId worker, ExecutionId after, int limit) {}

  static Statement<Request, ClaimedJob> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(ClaimStatement.returned(castNull(JOBS.PAYLOAD).as(JOBS.PAYLOAD)))
            .from(JOBS)
            .where(JobPredicates.RUNNING)
            .and(JOBS.CURRENT_EXECUTION_ID.gt(AFTER))
            .and(JOBS.LOCKED_BY.eq(WORKER))
            .andNotExists(
                selectOne()
                    .from(JOB_WORKERS)
                    .where(WorkerIdentity.OF_ROW.eq(WORKER))
                    .and(JOB_WORKERS.BOOT_ID.ne(BOOT_ID)))
            .orderBy(JOBS.CURRENT_EXECUTION_ID)
            .limit(LIMIT),
        request ->
            new Arguments()
                .text("worker", request.worker().toString())
                .uuid("boot_id", request.worker().bootId())
                .number("after", request.after().value())
                .number("limit", request.limit()),
        ClaimStatement::read);
  }
}
