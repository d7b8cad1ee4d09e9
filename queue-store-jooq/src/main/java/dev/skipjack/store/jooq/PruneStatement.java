package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.PruneResult;
import dev.skipjack.store.jooq.internal.sql.JobPredicates;
import org.jooq.CommonTableExpression;
import org.jooq.ResultQuery;

/**
 * Deletes dead jobs for good.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (SELECT id, status FROM jobs WHERE id = ANY (:ids) ORDER BY id FOR UPDATE SKIP LOCKED),
 * pruned AS (DELETE FROM jobs WHERE id = ANY (ARRAY(SELECT id FROM locked WHERE status = 'dead')) RETURNING id)
 * SELECT CASE WHEN pruned .. WHEN locked (another state) .. WHEN EXISTS (the row) THEN 'BUSY' ELSE 'GONE' END FROM given ...
 * }</pre>
 *
 * <p>{@link JobRows} tells the lock order.
 */
final class PruneStatement {

  private PruneStatement() {}

  static ResultQuery<?> query() {
    CommonTableExpression<?> locked = JobRows.locked(JOBS.ID, JOBS.STATUS);
    CommonTableExpression<?> pruned =
        name("pruned")
            .as(
                deleteFrom(JOBS)
                    .where(
                        JOBS.ID.eq(
                            any(
                                array(
                                    select(JobRows.idOf(locked))
                                        .from(locked)
                                        .where(
                                            JobRows.statusOf(locked)
                                                .eq(JobPredicates.literal(JobStatus.DEAD)))))))
                    .returning(JOBS.ID));
    return with(locked, pruned)
        .select(
            JobRows.answer(pruned, PruneResult.PRUNED)
                .when(JobRows.isIn(locked), JobRows.literal(PruneResult.NOT_DEAD))
                .when(JobRows.exists(), JobRows.literal(PruneResult.BUSY))
                .otherwise(JobRows.literal(PruneResult.GONE)))
        .from(JobRows.GIVEN)
        .leftJoin(locked)
        .on(JobRows.joins(locked))
        .leftJoin(pruned)
        .on(JobRows.joins(pruned))
        .orderBy(JobRows.POSITION);
  }
}
