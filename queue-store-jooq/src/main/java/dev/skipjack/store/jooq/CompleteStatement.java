package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.ArrayRows;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Param;
import org.jooq.ResultQuery;

/**
 * Ends attempts well: the jobs move to the archive, unless their queue keeps none, and their audit
 * rows are closed.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (...),
 * ended    AS (DELETE FROM jobs WHERE id = ANY (ARRAY(SELECT id FROM locked)) RETURNING ...),
 * archived AS (INSERT INTO jobs_archive (...) SELECT ... FROM ended ...),
 * closed   AS (UPDATE job_executions SET status = 'succeeded', ...)
 * SELECT verdict FROM given LEFT JOIN ended ...
 * }</pre>
 *
 * <p>One statement, because a copy and a delete in two lose what crosses the line between them. A
 * request to cancel comes too late here: the work is done. {@link AttemptCtes} tells the lock
 * order.
 */
final class CompleteStatement {

  private static final Param<Long> JOB_ID = param("job_id", Long.class);
  private static final Param<Long> EXECUTION_ID = param("execution_id", Long.class);

  private CompleteStatement() {}

  /** For a batch, in a transaction of its own. */
  static ResultQuery<?> query(AuditWeeks weeks) {
    ArrayRows given = AttemptCtes.given();
    CommonTableExpression<?> locked = AttemptCtes.locked();
    CommonTableExpression<?> ended = ended(AttemptCtes.isLocked(locked));
    return with(locked, ended, Archive.of(ended, JobStatus.COMPLETED), closed(ended, weeks))
        .select(AttemptCtes.verdict(given, ended))
        .from(given.table())
        .leftJoin(ended)
        .on(AttemptCtes.answers(given, ended))
        .orderBy(given.field("position", Long.class));
  }

  /**
   * For one attempt, in the handler's transaction: waits for the row, answers how many attempts it
   * ended.
   */
  static ResultQuery<?> queryForOne(AuditWeeks weeks) {
    CommonTableExpression<?> ended = endedForOne();
    return with(ended, Archive.of(ended, JobStatus.COMPLETED), closed(ended, weeks))
        .select(count())
        .from(ended);
  }

  /** Takes the job of one attempt out of the live table, in a handler's transaction. */
  static CommonTableExpression<?> endedForOne() {
    return ended(JOBS.ID.eq(JOB_ID).and(JOBS.CURRENT_EXECUTION_ID.eq(EXECUTION_ID)));
  }

  static Arguments argumentsForOne(Execution execution) {
    return new Arguments()
        .number("job_id", execution.jobId().value())
        .number("execution_id", execution.id().value());
  }

  private static CommonTableExpression<?> ended(Condition which) {
    return name("ended").as(deleteFrom(JOBS).where(which).returning(Archive.columns()));
  }

  /** Closes the audit rows as succeeded. */
  static CommonTableExpression<?> closed(CommonTableExpression<?> ended, AuditWeeks weeks) {
    return AttemptCtes.closed(ended, AttemptCtes.literal(ExecutionStatus.SUCCEEDED), weeks);
  }
}
