package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.ArrayRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jooq.ResultQuery;

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
 * <p>Sent only for attempts whose own write may have been committed although its answer was lost,
 * so it is rare. {@link AttemptCtes} explains the constant weeks and the array. Locks nothing.
 */
final class AttemptStatusStatement {

  private AttemptStatusStatement() {}

  static ResultQuery<?> query(AuditWeeks weeks) {
    ArrayRows given = AttemptCtes.given();
    return select(JOB_EXECUTIONS.STATUS)
        .from(given.table())
        .leftJoin(JOB_EXECUTIONS)
        .on(JOB_EXECUTIONS.ID.eq(given.field(AttemptCtes.EXECUTION_ID, Long.class)))
        .and(JOB_EXECUTIONS.ID.eq(any(AttemptCtes.EXECUTION_IDS)))
        .and(weeks.condition())
        .orderBy(given.field("position", Long.class));
  }

  static Arguments arguments(List<Execution> executions) {
    return AttemptCtes.arguments(executions, Function.identity());
  }

  static Optional<ExecutionStatus> read(ResultSet row) throws SQLException {
    return Optional.ofNullable(row.getString(1)).map(ExecutionStatus::of);
  }
}
