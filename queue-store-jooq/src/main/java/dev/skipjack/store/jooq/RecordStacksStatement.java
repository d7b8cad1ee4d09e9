package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_STACKS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.spi.StackSample;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;

/**
 * Records where the handlers of long attempts are, and removes the rows of attempts that have
 * ended.
 *
 * <pre>{@code
 * WITH removed  AS (DELETE FROM job_stacks WHERE execution_id = ANY (:ended) RETURNING execution_id),
 *      recorded AS (INSERT INTO job_stacks (execution_id, job_id, sampled_at, stack, problem)
 *                   SELECT given.execution_id, given.job_id, clock_timestamp(), given.stack, given.problem
 *                     FROM unnest(:job_ids, :execution_ids, :stacks, :problems) AS given
 *                     JOIN jobs ON jobs.id = given.job_id AND jobs.current_execution_id = given.execution_id
 *                   ON CONFLICT (execution_id) DO UPDATE SET sampled_at = excluded.sampled_at, ...
 *                   RETURNING execution_id)
 * SELECT count(*) FROM recorded
 * }</pre>
 *
 * <p>It neither locks nor changes the job's row, so it delays no outcome. An attempt that ends
 * meanwhile may leave a row, which no reader shows because its execution is not the job's current
 * one, and which {@code PruneStacksStatement} deletes. A row belongs to one worker, so two calls do
 * not wait for each other.
 */
final class RecordStacksStatement {

  /**
   * What to record and to remove.
   *
   * @param ended executions that are not in {@code samples}
   */
  record Request(List<StackSample> samples, List<ExecutionId> ended) {}

  private static final Param<Long[]> ENDED = param("ended", Long[].class);
  private static final Field<Integer> RECORDED = count();

  private RecordStacksStatement() {}

  /** Creates the statement, which returns the number of recorded samples. */
  static Statement<Request, Integer> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        with(removed(), recorded()).select(RECORDED).from(table(name("recorded"))),
        RecordStacksStatement::arguments,
        row -> row.integer(RECORDED));
  }

  private static CommonTableExpression<?> removed() {
    return name("removed")
        .as(
            deleteFrom(JOB_STACKS)
                .where(JOB_STACKS.EXECUTION_ID.eq(any(ENDED)))
                .returning(JOB_STACKS.EXECUTION_ID));
  }

  private static CommonTableExpression<?> recorded() {
    ArrayRows given =
        ArrayRows.named("given")
            .column("job_id", AttemptCtes.JOB_IDS)
            .column("execution_id", AttemptCtes.EXECUTION_IDS)
            .column("stack", Texts.array("stacks"))
            .column("problem", Texts.array("problems"));
    Field<Long> job = given.field("job_id", Long.class);
    Field<Long> execution = given.field("execution_id", Long.class);
    return name("recorded")
        .as(
            insertInto(
                    JOB_STACKS,
                    JOB_STACKS.EXECUTION_ID,
                    JOB_STACKS.JOB_ID,
                    JOB_STACKS.SAMPLED_AT,
                    JOB_STACKS.STACK,
                    JOB_STACKS.PROBLEM)
                .select(
                    select(
                            execution,
                            job,
                            DatabaseClock.NOW,
                            given.field("stack", String.class),
                            given.field("problem", String.class))
                        .from(given.table())
                        .join(JOBS)
                        .on(JOBS.ID.eq(job).and(JOBS.CURRENT_EXECUTION_ID.eq(execution))))
                .onConflict(JOB_STACKS.EXECUTION_ID)
                .doUpdate()
                .set(JOB_STACKS.JOB_ID, excluded(JOB_STACKS.JOB_ID))
                .set(JOB_STACKS.SAMPLED_AT, excluded(JOB_STACKS.SAMPLED_AT))
                .set(JOB_STACKS.STACK, excluded(JOB_STACKS.STACK))
                .set(JOB_STACKS.PROBLEM, excluded(JOB_STACKS.PROBLEM))
                .returning(JOB_STACKS.EXECUTION_ID));
  }

  private static Arguments arguments(Request request) {
    List<StackSample> samples = request.samples();
    return new Arguments()
        .bigints("job_ids", samples, sample -> sample.execution().jobId().value())
        .bigints("execution_ids", samples, sample -> sample.execution().id().value())
        .texts("stacks", samples, StackSample::stack)
        .texts("problems", samples, StackSample::problem)
        .bigints("ended", request.ended(), ExecutionId::value);
  }
}
