package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.exists;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.api.spi.Execution;
import dev.skipjack.store.jooq.spi.Arguments;
import org.jooq.Param;
import org.jooq.ResultQuery;

/**
 * Whether an execution still owns its job: {@code SELECT EXISTS (SELECT 1 FROM jobs WHERE id = ?
 * AND current_execution_id = ?)}. Locks nothing.
 */
final class OwnsStatement {

  private static final Param<Long> JOB_ID = param("job_id", Long.class);
  private static final Param<Long> EXECUTION_ID = param("execution_id", Long.class);

  private OwnsStatement() {}

  static ResultQuery<?> query() {
    return select(
        org.jooq.impl.DSL.field(
            exists(
                selectOne()
                    .from(JOBS)
                    .where(JOBS.ID.eq(JOB_ID))
                    .and(JOBS.CURRENT_EXECUTION_ID.eq(EXECUTION_ID)))));
  }

  static Arguments arguments(Execution execution) {
    return new Arguments()
        .number("job_id", execution.jobId().value())
        .number("execution_id", execution.id().value());
  }
}
