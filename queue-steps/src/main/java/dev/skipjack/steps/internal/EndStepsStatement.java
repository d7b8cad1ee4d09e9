package dev.skipjack.steps.internal;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static dev.skipjack.model.Tables.JOB_WAITS;
import static dev.skipjack.sql.Existence.exists;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.steps.StepCtes;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Param;
import org.jooq.impl.SQLDataType;

/**
 * Ends the steps of jobs that have ended without them: archives the memos, deletes the waits, and
 * enqueues the undos of those that did not complete.
 *
 * <pre>{@code
 * WITH gone AS MATERIALIZED (SELECT id FROM unnest(:ids) AS given (id) WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.id = given.id)),
 * dead   AS MATERIALIZED (SELECT id FROM jobs WHERE id = ANY (:ids) AND died_at IS NOT NULL ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
 * memos  AS (DELETE FROM job_steps ... of gone),
 * waits  AS (DELETE FROM job_waits ... of gone and dead),
 * undone AS (UPDATE job_steps ... of dead),
 * undos  AS (INSERT INTO jobs ... of undone, and of the memos of jobs that did not complete),
 * folded AS (UPDATE jobs_archive SET steps = coalesce(steps, '[]') || (the memos) WHERE id = ANY (ARRAY(SELECT job_id FROM memos)) RETURNING id)
 * SELECT DISTINCT ordering_key FROM undos
 * }</pre>
 *
 * <p>{@link StepCtes} explains the parts. A job without a row has completed if the archive or the
 * audit says so. Otherwise it was cancelled, or died and was pruned, and then its memos are marked
 * as undone already.
 *
 * <p>Lock order: dead jobs in the order of their ids, then memos. The statement waits only for
 * another one that ends the steps of the same job, and then finds nothing to do.
 */
final class EndStepsStatement {

  private static final Param<Long[]> IDS = param("ids", Long[].class);
  private static final Field<String> KEY = field(name("undos", "ordering_key"), String.class);

  private EndStepsStatement() {}

  /** Creates the statement. It takes job ids, and returns the ordering keys of the undos. */
  static Statement<List<Long>, String> of(DSLContext dialect) {
    ArrayRows given = ArrayRows.named("given").column("id", IDS);
    Field<Long> id = given.field("id", Long.class);
    CommonTableExpression<?> gone =
        name("gone")
            .asMaterialized(
                select(id)
                    .from(given.table())
                    .where(notExists(selectOne().from(JOBS).where(JOBS.ID.eq(id)))));
    CommonTableExpression<?> dead =
        name("dead")
            .asMaterialized(
                select(JOBS.ID)
                    .from(JOBS)
                    .where(JOBS.ID.eq(any(IDS)))
                    .and(JOBS.DIED_AT.isNotNull())
                    .orderBy(JOBS.ID)
                    .forNoKeyUpdate()
                    .skipLocked());
    CommonTableExpression<?> memos = StepCtes.memos(gone);
    CommonTableExpression<?> waits =
        name("waits")
            .as(
                deleteFrom(JOB_WAITS)
                    .where(
                        JOB_WAITS.JOB_ID.eq(
                            any(
                                array(
                                    select(field(name("gone", "id"), Long.class))
                                        .from(gone)
                                        .unionAll(
                                            select(field(name("dead", "id"), Long.class))
                                                .from(dead))))))
                    .returning(JOB_WAITS.JOB_ID));
    CommonTableExpression<?> undone =
        StepCtes.undone(select(field(name("dead", "id"), Long.class)).from(dead));
    CommonTableExpression<?> undos =
        StepCtes.undos(StepCtes.all(memos, undone), not(hasCompleted(StepCtes.JOB_OF_UNDO)));
    CommonTableExpression<?> folded =
        name("folded")
            .as(
                update(JOBS_ARCHIVE)
                    .set(
                        JOBS_ARCHIVE.STEPS,
                        field(
                            "{0} || {1}",
                            SQLDataType.JSONB,
                            coalesce(JOBS_ARCHIVE.STEPS, inline(JSONB.valueOf("[]"))),
                            StepCtes.folded(memos, JOBS_ARCHIVE.ID)))
                    .where(
                        JOBS_ARCHIVE.ID.eq(
                            any(
                                array(
                                    select(field(name("memos", "job_id"), Long.class))
                                        .from(memos)))))
                    .returning(JOBS_ARCHIVE.ID));
    return Statement.of(
        dialect,
        with(gone, dead, memos, waits, undone, undos, folded).selectDistinct(KEY).from(undos),
        ids -> new Arguments().bigints("ids", ids, each -> each),
        row -> row.text(KEY));
  }

  private static Condition hasCompleted(Field<Long> job) {
    return exists(
            selectOne()
                .from(JOBS_ARCHIVE)
                .where(JOBS_ARCHIVE.ID.eq(job))
                .and(JOBS_ARCHIVE.STATUS.eq(inline(JobStatus.COMPLETED, JOBS_ARCHIVE.STATUS))))
        .or(
            exists(
                selectOne()
                    .from(JOB_EXECUTIONS)
                    .where(JOB_EXECUTIONS.JOB_ID.eq(job))
                    .and(
                        JOB_EXECUTIONS.STATUS.eq(
                            inline(ExecutionStatus.SUCCEEDED, JOB_EXECUTIONS.STATUS)))));
  }
}
