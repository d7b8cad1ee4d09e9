package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
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
import org.jspecify.annotations.Nullable;

/**
 * Ends jobs with data: the result of a completed job, or the reason why a handler cancelled its
 * job.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (...),
 * ended    AS (DELETE FROM jobs USING given
 *               WHERE jobs.id = given.job_id AND jobs.current_execution_id = given.execution_id
 *                 AND id = ANY (ARRAY(SELECT id FROM locked)) RETURNING ..., given.ended_as, given.result, given.reason),
 * archived AS (INSERT INTO jobs_archive (..., status, result, last_error)
 *              SELECT ..., ended_as, CAST(result AS jsonb), coalesce(reason, last_error) FROM ended ...),
 * closed   AS (UPDATE job_executions SET status = CASE ended_as WHEN 'completed' THEN 'succeeded' ELSE 'cancelled' END,
 *                     error_message = reason, ... FROM ended ...)
 * SELECT verdict FROM given LEFT JOIN ended ...
 * }</pre>
 *
 * <p>Like {@link CompleteStatement}, it has other texts for batches with ordering keys or owners.
 * Another one, for batches that contain a job with durable steps, also has the parts of {@link
 * StepCtes}.
 *
 * <p>For jobs without data, {@link CompleteStatement} is cheaper. {@link AttemptCtes} explains the
 * lock order.
 */
final class EndWithDataStatement {

  private static final Param<String[]> ENDED_AS = Texts.array("ended_as");
  private static final Param<String[]> RESULTS = Texts.array("results");
  private static final Param<String[]> REASONS = Texts.array("reasons");

  private EndWithDataStatement() {}

  /** Creates the statement that ends a batch of jobs in its own transaction. */
  static OutcomeStatement<List<FinalOutcome>, Verdict> of(DSLContext dialect, EndParts parts) {
    return OutcomeStatement.ofBatch(FinalOutcome::execution, weeks -> in(dialect, weeks, parts));
  }

  private static Statement<List<FinalOutcome>, Verdict> in(
      DSLContext dialect, AuditWeeks weeks, EndParts parts) {
    ArrayRows given =
        AttemptCtes.given()
            .column("ended_as", ENDED_AS)
            .column("result", RESULTS)
            .column("reason", REASONS);
    CommonTableExpression<?> locked = AttemptCtes.locked();
    CommonTableExpression<?> ended = ended(given, locked, parts);
    Field<String> verdict = AttemptCtes.verdict(given, ended);
    return Statement.of(
        dialect,
        AttemptCtes.resultOfEach(
            with(locked, ended)
                .with(archived(ended, parts))
                .with(closed(ended, weeks))
                .with(CompleteStatement.behind(ended, parts)),
            given,
            ended,
            verdict),
        EndWithDataStatement::arguments,
        row -> AttemptCtes.verdict(row, verdict));
  }

  /** The completion of a job with a result, as JSON; null for none. */
  record CompletionWithResult(Execution execution, @Nullable String result) {}

  /**
   * Creates the statement that ends one job in the handler's transaction. It waits for the row, and
   * returns whether the attempt was ended.
   */
  static OutcomeStatement<CompletionWithResult, Boolean> ofOne(DSLContext dialect, EndParts parts) {
    return OutcomeStatement.ofOne(
        CompletionWithResult::execution, weeks -> ofOneIn(dialect, weeks, parts));
  }

  private static Statement<CompletionWithResult, Boolean> ofOneIn(
      DSLContext dialect, AuditWeeks weeks, EndParts parts) {
    CommonTableExpression<?> ended = CompleteStatement.endedForOne(parts);
    List<CommonTableExpression<?>> memos =
        parts.steps() ? List.of(StepCtes.memos(ended), StepCtes.waits(ended)) : List.of();
    return Statement.of(
        dialect,
        with(ended)
            .with(memos)
            .with(
                Archive.of(
                    ended,
                    inline(JobStatus.COMPLETED, JOBS_ARCHIVE.STATUS),
                    cast(Texts.param("result"), JOBS_ARCHIVE.RESULT),
                    of(ended, "last_error"),
                    parts.owned(),
                    parts.steps() ? memos.get(0) : null),
                CompleteStatement.closed(ended, weeks))
            .with(CompleteStatement.behind(ended, parts))
            .select(CompleteStatement.COUNT)
            .from(ended),
        given -> CompleteStatement.arguments(given.execution()).text("result", given.result()),
        CompleteStatement::hasEnded);
  }

  private static CommonTableExpression<?> ended(
      ArrayRows given, CommonTableExpression<?> locked, EndParts parts) {
    List<Field<?>> returned = CompleteStatement.returned(parts);
    returned.add(given.field("ended_as", String.class));
    returned.add(given.field("result", String.class));
    returned.add(given.field("reason", String.class));
    return name("ended")
        .as(
            deleteFrom(JOBS)
                .using(given.table())
                .where(AttemptCtes.isFencedBy(given))
                .and(AttemptCtes.isLocked(locked))
                .returningResult(returned));
  }

  /** Returns the CTEs that archive the jobs, and enqueue the undos of cancelled jobs. */
  private static List<CommonTableExpression<?>> archived(
      CommonTableExpression<?> ended, EndParts parts) {
    if (!parts.steps()) {
      return List.of(archived(ended, parts, null));
    }
    CommonTableExpression<?> memos = StepCtes.memos(ended);
    return List.of(
        memos,
        StepCtes.waits(ended),
        archived(ended, parts, memos),
        StepCtes.undos(memos, isCancelled(ended)));
  }

  private static CommonTableExpression<?> archived(
      CommonTableExpression<?> ended, EndParts parts, @Nullable CommonTableExpression<?> memos) {
    return Archive.of(
        ended,
        of(ended, "ended_as"),
        cast(of(ended, "result"), JOBS_ARCHIVE.RESULT),
        coalesce(of(ended, "reason"), of(ended, "last_error")),
        parts.owned(),
        memos);
  }

  private static Condition isCancelled(CommonTableExpression<?> ended) {
    return StepCtes.JOB_OF_UNDO.eq(
        any(
            array(
                select(field(name(ended.getName(), "id"), Long.class))
                    .from(ended)
                    .where(of(ended, "ended_as").eq(inline(JobStatus.CANCELLED.literal()))))));
  }

  private static CommonTableExpression<?> closed(CommonTableExpression<?> ended, AuditWeeks weeks) {
    Field<ExecutionStatus> status =
        when(
                of(ended, "ended_as").eq(inline(JobStatus.COMPLETED.literal())),
                AttemptCtes.literal(ExecutionStatus.SUCCEEDED))
            .otherwise(AttemptCtes.literal(ExecutionStatus.CANCELLED));
    return AttemptCtes.closed(
        AttemptCtes.close(status).set(JOB_EXECUTIONS.ERROR_MESSAGE, of(ended, "reason")),
        ended,
        weeks);
  }

  private static Field<String> of(CommonTableExpression<?> ended, String column) {
    return field(name(ended.getName(), column), String.class);
  }

  private static Arguments arguments(List<FinalOutcome> outcomes) {
    return AttemptCtes.arguments(outcomes, FinalOutcome::execution)
        .texts("ended_as", outcomes, outcome -> outcome.as().literal())
        .texts("results", outcomes, FinalOutcome::result)
        .texts("reasons", outcomes, FinalOutcome::reason);
  }
}
