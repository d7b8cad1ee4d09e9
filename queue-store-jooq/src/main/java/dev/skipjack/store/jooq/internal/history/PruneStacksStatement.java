package dev.skipjack.store.jooq.internal.history;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_STACKS;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.with;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Statement;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;

/**
 * Deletes the sampled stacks of attempts that have ended, which their workers did not remove, for
 * instance because they were killed.
 *
 * <pre>{@code
 * WITH left_over AS MATERIALIZED (SELECT execution_id FROM job_stacks
 *                                  WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.id = job_id AND current_execution_id = execution_id)
 *                                  LIMIT :batch FOR UPDATE OF job_stacks SKIP LOCKED),
 *      pruned    AS (DELETE FROM job_stacks WHERE execution_id = ANY (ARRAY(SELECT execution_id FROM left_over)) RETURNING execution_id)
 * SELECT count(*) FROM pruned
 * }</pre>
 *
 * <p>It skips locked rows, so it neither waits for a worker nor lets one wait for long.
 */
final class PruneStacksStatement {

  private static final Param<Long> BATCH = param("batch", Long.class);
  private static final Field<Integer> PRUNED = count();

  private PruneStacksStatement() {}

  /**
   * Creates the statement. Its request is the maximum number of rows to delete, and its result the
   * number of deleted rows.
   */
  static Statement<Integer, Integer> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        query(),
        batch -> new Arguments().number("batch", batch),
        row -> row.integer(PRUNED));
  }

  private static ResultQuery<?> query() {
    CommonTableExpression<?> leftOver =
        name("left_over")
            .asMaterialized(
                select(JOB_STACKS.EXECUTION_ID)
                    .from(JOB_STACKS)
                    .where(
                        notExists(
                            selectOne()
                                .from(JOBS)
                                .where(JOBS.ID.eq(JOB_STACKS.JOB_ID))
                                .and(JOBS.CURRENT_EXECUTION_ID.eq(JOB_STACKS.EXECUTION_ID))))
                    .limit(BATCH)
                    .forUpdate()
                    .of(JOB_STACKS)
                    .skipLocked());
    Field<Long> execution = leftOver.field(JOB_STACKS.EXECUTION_ID);
    CommonTableExpression<?> pruned =
        name("pruned")
            .as(
                deleteFrom(JOB_STACKS)
                    .where(JOB_STACKS.EXECUTION_ID.eq(any(array(select(execution).from(leftOver)))))
                    .returning(JOB_STACKS.EXECUTION_ID));
    return with(leftOver, pruned).select(PRUNED).from(table(name("pruned")));
  }
}
