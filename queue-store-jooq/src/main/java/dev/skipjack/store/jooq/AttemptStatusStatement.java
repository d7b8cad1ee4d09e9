package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jooq.DSLContext;

/**
 * Reads how attempts ended from the audit.
 *
 * <pre>{@code
 * SELECT job_executions.status FROM given LEFT JOIN job_executions
 *     ON job_executions.id = given.execution_id AND job_executions.id = ANY (:execution_ids)
 *    AND job_executions.started_at >= '2026-11-16' AND job_executions.started_at < '2026-11-23'
 *  ORDER BY given.position
 * }</pre>
 *
 * <p>It runs only if an outcome may have been committed although the response was lost. {@link
 * AttemptCtes} explains the constant weeks and the array. Locks nothing.
 */
final class AttemptStatusStatement {

  private AttemptStatusStatement() {}

  static OutcomeStatement<List<Execution>, Optional<ExecutionStatus>> of(DSLContext dialect) {
    return OutcomeStatement.ofBatch(Function.identity(), weeks -> in(dialect, weeks));
  }

  private static Statement<List<Execution>, Optional<ExecutionStatus>> in(
      DSLContext dialect, AuditWeeks weeks) {
    ArrayRows given = AttemptCtes.given();
    return Statement.of(
        dialect,
        select(JOB_EXECUTIONS.STATUS)
            .from(given.table())
            .leftJoin(JOB_EXECUTIONS)
            .on(JOB_EXECUTIONS.ID.eq(given.field(AttemptCtes.EXECUTION_ID, Long.class)))
            .and(JOB_EXECUTIONS.ID.eq(any(AttemptCtes.EXECUTION_IDS)))
            .and(weeks.condition())
            .orderBy(given.field("position", Long.class)),
        executions -> AttemptCtes.arguments(executions, Function.identity()),
        row -> Optional.ofNullable(row.textOrNull(JOB_EXECUTIONS.STATUS)).map(ExecutionStatus::of));
  }
}
