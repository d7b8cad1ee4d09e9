package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FailureVerdict;
import dev.skipjack.store.jooq.spi.Arguments;
import dev.skipjack.store.jooq.spi.ArrayRows;
import dev.skipjack.store.jooq.spi.DatabaseClock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Record1;
import org.jooq.ResultQuery;

/**
 * Ends attempts badly: back to pending after the backoff, or dead when the attempts are used up or
 * the failure is final.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (...),
 * ended  AS (UPDATE jobs
 *               SET status = CASE WHEN given.is_final OR attempts - forgiven >= max_attempts THEN 'dead' ELSE 'pending' END,
 *                   scheduled_at = CASE WHEN (dead) THEN scheduled_at ELSE clock_timestamp() + given.delay END, ...
 *              FROM given WHERE jobs.id = given.job_id AND id = ANY (ARRAY(SELECT id FROM locked)) RETURNING ...),
 * closed AS (UPDATE job_executions SET status = CASE WHEN ended.status = 'dead' THEN 'dead' ELSE 'failed' END, error ...)
 * SELECT verdict, coalesce(ended.status = 'dead', false) FROM given LEFT JOIN ended ...
 * }</pre>
 *
 * <p>Whether a job is dead is decided here and nowhere else, from the counters of its row. {@link
 * AttemptCtes} tells the lock order.
 */
final class FailStatement {

  private static final Param<Long[]> DELAYS = param("delays", Long[].class);
  private static final Param<Boolean[]> FINALS = param("finals", Boolean[].class);
  private static final Param<String[]> CLASSES = param("error_classes", String[].class);
  private static final Param<String[]> MESSAGES = param("error_messages", String[].class);
  private static final Param<String[]> STACKS = param("error_stacks", String[].class);

  private static final Field<JobStatus> ENDED_STATUS =
      field(name("ended", "status"), JOBS.STATUS.getDataType());
  private static final Condition ENDED_DEAD =
      ENDED_STATUS.eq(JobPredicates.literal(JobStatus.DEAD));

  private FailStatement() {}

  static ResultQuery<?> query() {
    ArrayRows given =
        AttemptCtes.given()
            .column("delay", DELAYS)
            .column("is_final", FINALS)
            .column("error_class", CLASSES)
            .column("error_message", MESSAGES)
            .column("error_stack", STACKS);
    CommonTableExpression<Record1<Long>> locked = AttemptCtes.locked();
    CommonTableExpression<?> ended = ended(given, locked);
    return with(locked, ended, closed(ended))
        .select(AttemptCtes.verdict(given, ended), coalesce(field(ENDED_DEAD), inline(false)))
        .from(given.table())
        .leftJoin(ended)
        .on(AttemptCtes.answers(given, ended))
        .orderBy(given.field("position", Long.class));
  }

  private static CommonTableExpression<?> ended(
      ArrayRows given, CommonTableExpression<Record1<Long>> locked) {
    Condition dies = given.field("is_final", Boolean.class).isTrue().or(Deaths.USED_UP);
    Field<String> message = given.field("error_message", String.class);
    return name("ended")
        .as(
            Deaths.orPending(
                    update(JOBS),
                    dies,
                    DatabaseClock.plusMicros(DatabaseClock.NOW, given.field("delay", Long.class)))
                .set(JOBS.LAST_ERROR, message)
                .from(given.table())
                .where(JOBS.ID.eq(given.field("job_id", Long.class)))
                .and(AttemptCtes.isLocked(locked))
                .returningResult(
                    JOBS.ID,
                    JOBS.STATUS,
                    JOBS.STARTED_AT,
                    given.field(AttemptCtes.EXECUTION_ID, Long.class),
                    given.field("error_class", String.class),
                    message,
                    given.field("error_stack", String.class)));
  }

  private static CommonTableExpression<?> closed(CommonTableExpression<?> ended) {
    return name("closed")
        .as(
            update(JOB_EXECUTIONS)
                .set(
                    JOB_EXECUTIONS.STATUS,
                    when(ENDED_DEAD, AttemptCtes.literal(ExecutionStatus.DEAD))
                        .otherwise(AttemptCtes.literal(ExecutionStatus.FAILED)))
                .set(JOB_EXECUTIONS.FINISHED_AT, DatabaseClock.NOW)
                .set(JOB_EXECUTIONS.ERROR_CLASS, field(name("ended", "error_class"), String.class))
                .set(
                    JOB_EXECUTIONS.ERROR_MESSAGE,
                    field(name("ended", "error_message"), String.class))
                .set(JOB_EXECUTIONS.ERROR_STACK, field(name("ended", "error_stack"), String.class))
                .from(ended)
                .where(AttemptCtes.auditRowOf(ended))
                .returning(JOB_EXECUTIONS.ID));
  }

  static Arguments arguments(List<Failure> failures) {
    return AttemptCtes.arguments(failures, Failure::execution)
        .bigints("delays", failures, failure -> DatabaseClock.micros(failure.delay()))
        .booleans("finals", failures, Failure::isFinal)
        .texts("error_classes", failures, failure -> failure.error().errorClass())
        .texts("error_messages", failures, failure -> failure.error().message())
        .texts("error_stacks", failures, failure -> failure.error().stack());
  }

  static FailureVerdict read(ResultSet row) throws SQLException {
    return new FailureVerdict(AttemptCtes.read(row), row.getBoolean(2));
  }
}
