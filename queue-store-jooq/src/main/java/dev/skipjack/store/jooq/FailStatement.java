package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.update;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import dev.skipjack.store.jooq.internal.steps.StepCtes;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;

/**
 * Records failed attempts. Their jobs become pending again after the backoff, dead if their
 * attempts are exhausted or the failure is final, or cancelled if cancellation was requested.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (...),
 * kept AS (UPDATE jobs
 *             SET status = CASE WHEN given.is_final OR attempts - uncounted_attempts >= max_attempts THEN 'dead' ELSE 'pending' END,
 *                 scheduled_at = CASE WHEN (dead) THEN scheduled_at ELSE clock_timestamp() + given.delay END, ...
 *            FROM given WHERE jobs.id = given.job_id AND jobs.current_execution_id = given.execution_id
 *             AND id = ANY (ARRAY(SELECT id FROM locked WHERE NOT is_cancelled))
 *          RETURNING ...),
 * cancelled AS (...), archived AS (...), ended AS MATERIALIZED (...),
 * closed AS (UPDATE job_executions SET status = CASE ended.status WHEN 'cancelled' .. WHEN 'dead' .. ELSE 'failed' END, error ...
 *              FROM ended JOIN given ...)
 * SELECT verdict, ended.status FROM given LEFT JOIN ended ...
 * }</pre>
 *
 * <p>A second text, for batches that contain a job with durable steps, also has the parts of {@link
 * StepCtes}.
 *
 * <p>The statement decides from the counters in the job's row whether a failed job is dead. {@link
 * AttemptCtes} explains the lock order.
 */
final class FailStatement {

  private static final Param<Long[]> DELAYS = param("delays", Long[].class);
  private static final Param<Boolean[]> FINALS = param("finals", Boolean[].class);
  private static final Param<String[]> CLASSES = Texts.array("error_classes");
  private static final Param<String[]> MESSAGES = Texts.array("error_messages");
  private static final Param<String[]> STACKS = Texts.array("error_stacks");

  private FailStatement() {}

  /**
   * Creates the statement.
   *
   * @param parts without ordering, because the caller promotes the next jobs
   */
  static OutcomeStatement<List<Failure>, Ended> of(DSLContext dialect, EndParts parts) {
    return OutcomeStatement.ofBatch(Failure::execution, weeks -> in(dialect, weeks, parts));
  }

  private static Statement<List<Failure>, Ended> in(
      DSLContext dialect, AuditWeeks weeks, EndParts parts) {
    ArrayRows given =
        AttemptCtes.given()
            .column("delay", DELAYS)
            .column("is_final", FINALS)
            .column("error_class", CLASSES)
            .column("error_message", MESSAGES)
            .column("error_stack", STACKS);
    CommonTableExpression<?> locked = AttemptCtes.locked();
    return AttemptCtes.statement(
        dialect,
        given,
        AttemptCtes.endings(
            locked, kept(given, locked), parts, ended -> closed(given, ended, weeks)),
        FailStatement::arguments);
  }

  private static CommonTableExpression<?> kept(ArrayRows given, CommonTableExpression<?> locked) {
    Condition dies = given.field("is_final", Boolean.class).isTrue().or(FailedTransition.EXHAUSTED);
    return name("kept")
        .as(
            FailedTransition.orPending(
                    update(JOBS),
                    dies,
                    DatabaseClock.plusMicros(DatabaseClock.NOW, given.field("delay", Long.class)))
                .set(JOBS.LAST_ERROR, given.field("error_message", String.class))
                .set(JOBS.LAST_ERROR_CLASS, given.field("error_class", String.class))
                .from(given.table())
                .where(AttemptCtes.isFencedBy(given))
                .and(AttemptCtes.isKept(locked))
                .returningResult(
                    AttemptCtes.keptColumns(given.field(AttemptCtes.EXECUTION_ID, Long.class))));
  }

  private static CommonTableExpression<?> closed(
      ArrayRows given, CommonTableExpression<?> ended, AuditWeeks weeks) {
    Field<ExecutionStatus> status =
        AttemptCtes.cancelledOr(ended)
            .when(
                AttemptCtes.statusOf(ended).eq(JobPredicates.literal(JobStatus.DEAD)),
                AttemptCtes.literal(ExecutionStatus.DEAD))
            .otherwise(AttemptCtes.literal(ExecutionStatus.FAILED));
    return AttemptCtes.closed(
        AttemptCtes.close(status)
            .set(JOB_EXECUTIONS.ERROR_CLASS, given.field("error_class", String.class))
            .set(JOB_EXECUTIONS.ERROR_MESSAGE, given.field("error_message", String.class))
            .set(JOB_EXECUTIONS.ERROR_STACK, given.field("error_stack", String.class)),
        ended,
        given,
        weeks);
  }

  private static Arguments arguments(List<Failure> failures) {
    return AttemptCtes.arguments(failures, Failure::execution)
        .bigints("delays", failures, failure -> DatabaseClock.micros(failure.delay()))
        .booleans("finals", failures, Failure::isFinal)
        .texts("error_classes", failures, failure -> failure.error().errorClass())
        .texts("error_messages", failures, failure -> failure.error().message())
        .texts("error_stacks", failures, failure -> failure.error().stack());
  }
}
