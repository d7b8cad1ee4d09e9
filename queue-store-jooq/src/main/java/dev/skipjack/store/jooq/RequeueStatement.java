package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Suspension;
import dev.skipjack.model.tables.records.JobsRecord;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import dev.skipjack.store.jooq.internal.steps.StepCtes;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.UpdateSetMoreStep;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Ends attempts that do not count: the handler snoozed the job, or the worker released it, for
 * example during shutdown. Jobs become pending again, or cancelled if cancellation was requested.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (...),
 * kept AS (UPDATE jobs SET status = 'pending', scheduled_at = GREATEST(given.until, clock_timestamp() + given.delay),
 *                 uncounted_attempts = uncounted_attempts + 1, ...
 *            FROM given WHERE jobs.id = given.job_id AND jobs.current_execution_id = given.execution_id
 *             AND id = ANY (ARRAY(SELECT id FROM locked WHERE NOT is_cancelled))
 *          RETURNING ...),
 * cancelled AS (...), archived AS (...), ended AS MATERIALIZED (...),
 * closed AS (UPDATE job_executions SET status = CASE ended.status WHEN 'cancelled' .. ELSE given.closed_as END, ...
 *              FROM ended JOIN given ...)
 * SELECT verdict, ended.status FROM given LEFT JOIN ended ...
 * }</pre>
 *
 * <p>A job whose handler was never called is released with a null delay, which {@code GREATEST}
 * ignores. Its due time does not change, so it runs before jobs that became due later. If its due
 * time is below a low-water mark, the next claim without a mark finds it.
 *
 * <p>A second text is for batches that contain a job with durable steps. It also has the parts of
 * {@link StepCtes}, and records for what a suspended job waits:
 *
 * <pre>{@code
 * kept AS (UPDATE jobs SET scheduled_at = CASE WHEN given.awaits IS NOT NULL AND NOT given.is_sleep AND signals IS DISTINCT FROM given.signals_seen
 *                                              THEN clock_timestamp() ELSE (as above) END,
 *                 awaits = coalesce(given.awaits, awaits), ...)
 * }</pre>
 *
 * <p>The statement that sends a signal changes {@code signals} in the same row. Whichever of the
 * two is later reads what the other wrote, so no signal is missed.
 *
 * <p>{@code attempts} still counts every attempt, and {@code uncounted_attempts} those that do not
 * count. {@link AttemptCtes} explains the lock order.
 */
final class RequeueStatement {

  private static final Param<Long[]> DELAYS = param("delays", Long[].class);
  private static final Param<Instant[]> UNTILS =
      param("untils", SQLDataType.INSTANT.getArrayDataType());
  private static final Param<String[]> CLOSED_AS = Texts.array("closed_as");
  private static final Param<String[]> AWAITS = Texts.array("awaits");
  private static final Param<Integer[]> SIGNALS_SEEN = param("signals_seen", Integer[].class);
  private static final Param<Boolean[]> SLEEPS = param("sleeps", Boolean[].class);

  private RequeueStatement() {}

  /**
   * Creates the statement.
   *
   * @param parts without ordering, because the caller promotes the next jobs
   */
  static OutcomeStatement<List<Requeue>, Ended> of(DSLContext dialect, EndParts parts) {
    return OutcomeStatement.ofBatch(Requeue::execution, weeks -> in(dialect, weeks, parts));
  }

  private static Statement<List<Requeue>, Ended> in(
      DSLContext dialect, AuditWeeks weeks, EndParts parts) {
    ArrayRows given =
        AttemptCtes.given()
            .column("delay", DELAYS)
            .column("until", UNTILS)
            .column("closed_as", CLOSED_AS);
    if (parts.steps()) {
      given
          .column("awaits", AWAITS)
          .column("signals_seen", SIGNALS_SEEN)
          .column("is_sleep", SLEEPS);
    }
    CommonTableExpression<?> locked = AttemptCtes.locked();
    return AttemptCtes.statement(
        dialect,
        given,
        AttemptCtes.endings(
            locked,
            kept(given, locked, parts.steps()),
            parts,
            ended -> closed(given, ended, weeks)),
        parts.steps() ? RequeueStatement::argumentsWithSteps : RequeueStatement::arguments);
  }

  private static CommonTableExpression<?> kept(
      ArrayRows given, CommonTableExpression<?> locked, boolean steps) {
    Field<Instant> due =
        greatest(
            given.field("until", Instant.class),
            DatabaseClock.plusMicros(DatabaseClock.NOW, given.field("delay", Long.class)));
    UpdateSetMoreStep<JobsRecord> update =
        update(JOBS)
            .set(JOBS.STATUS, JobPredicates.literal(JobStatus.PENDING))
            .set(
                JOBS.SCHEDULED_AT,
                steps ? when(isSignalled(given), DatabaseClock.NOW).otherwise(due) : due);
    if (steps) {
      update = update.set(JOBS.AWAITS, coalesce(given.field("awaits", String.class), JOBS.AWAITS));
    }
    return name("kept")
        .as(
            update
                .set(
                    JOBS.UNCOUNTED_ATTEMPTS,
                    least(JOBS.UNCOUNTED_ATTEMPTS, JOBS.ATTEMPTS.minus(inline(1))).plus(inline(1)))
                .set(JOBS.CURRENT_EXECUTION_ID, castNull(JOBS.CURRENT_EXECUTION_ID))
                .set(JOBS.LEASE_EXPIRES_AT, castNull(JOBS.LEASE_EXPIRES_AT))
                .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                .from(given.table())
                .where(AttemptCtes.isFencedBy(given))
                .and(AttemptCtes.isKept(locked))
                .returningResult(
                    AttemptCtes.keptColumns(given.field(AttemptCtes.EXECUTION_ID, Long.class))));
  }

  /**
   * Returns the condition that the job got a signal after a suspended attempt had looked for one.
   */
  private static Condition isSignalled(ArrayRows given) {
    return given
        .field("awaits", String.class)
        .isNotNull()
        .and(given.field("is_sleep", Boolean.class).isFalse())
        .and(JOBS.SIGNALS.isDistinctFrom(given.field("signals_seen", Integer.class)));
  }

  private static CommonTableExpression<?> closed(
      ArrayRows given, CommonTableExpression<?> ended, AuditWeeks weeks) {
    Field<ExecutionStatus> status =
        AttemptCtes.cancelledOr(ended)
            .otherwise(field(name("given", "closed_as"), JOB_EXECUTIONS.STATUS.getDataType()));
    return AttemptCtes.closed(AttemptCtes.close(status), ended, given, weeks);
  }

  private static Arguments arguments(List<Requeue> attempts) {
    return AttemptCtes.arguments(attempts, Requeue::execution)
        .bigints("delays", attempts, RequeueStatement::delay)
        .timestamps("untils", attempts, RequeueStatement::until)
        .texts("closed_as", attempts, attempt -> attempt.as().literal());
  }

  private static Arguments argumentsWithSteps(List<Requeue> attempts) {
    return arguments(attempts)
        .texts("awaits", attempts, each -> of(each, Suspension::awaits))
        .integers("signals_seen", attempts, each -> of(each, Suspension::signalsSeen))
        .booleans("sleeps", attempts, each -> Boolean.TRUE.equals(of(each, Suspension::isSleep)));
  }

  private static <T> @Nullable T of(
      Requeue attempt, Function<Suspension, ? extends @Nullable T> property) {
    Suspension suspension = attempt.suspension();
    return suspension == null ? null : property.apply(suspension);
  }

  /** Returns the delay in microseconds, or null if the job becomes due at an instant. */
  private static @Nullable Long delay(Requeue attempt) {
    boolean exactly = attempt.as() == ExecutionStatus.RELEASED && attempt.until() != null;
    return exactly ? null : (Long) DatabaseClock.micros(attempt.delay());
  }

  private static @Nullable String until(Requeue attempt) {
    Instant until = attempt.until();
    return until == null ? null : until.toString();
  }
}
