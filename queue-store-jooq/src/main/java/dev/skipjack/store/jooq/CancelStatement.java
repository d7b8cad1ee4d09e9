package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.CancelResult;
import dev.skipjack.api.JobStatus;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.JobPredicates;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.ResultQuery;

/**
 * Calls jobs off: archives those that wait, marks those that run.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (SELECT id, status FROM jobs WHERE id = ANY (:ids) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
 * deletable AS MATERIALIZED (SELECT id FROM jobs
 *                             WHERE id = ANY (ARRAY(SELECT id FROM locked WHERE status IN ('pending', 'waiting')))
 *                             ORDER BY id FOR UPDATE SKIP LOCKED),
 * cancelled AS (DELETE FROM jobs WHERE id = ANY (ARRAY(SELECT id FROM deletable)) RETURNING ...),
 * archived  AS (INSERT INTO jobs_archive ... FROM cancelled),
 * requested AS (UPDATE jobs SET cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp())
 *                WHERE id = ANY (ARRAY(SELECT id FROM locked WHERE status = 'running')) RETURNING id)
 * SELECT CASE WHEN cancelled .. WHEN requested .. WHEN locked.status = 'dead' .. WHEN EXISTS (the row) THEN 'BUSY' ELSE 'GONE' END
 *   FROM given LEFT JOIN locked ... LEFT JOIN cancelled ... LEFT JOIN requested ...
 * }</pre>
 *
 * <p>The states are read from the locked row and not from the table: a pending job that a claimer
 * takes meanwhile is busy, and the next call finds it running. Both locks take rows in id order,
 * and neither waits ({@link JobRows}); only the one for the delete is refused by a foreign key of
 * an open transaction.
 */
final class CancelStatement {

  private CancelStatement() {}

  static ResultQuery<?> query() {
    CommonTableExpression<?> locked = JobRows.lockedForUpdateOnly(JOBS.ID, JOBS.STATUS);
    CommonTableExpression<?> deletable =
        name("deletable")
            .asMaterialized(
                select(JOBS.ID)
                    .from(JOBS)
                    .where(isLockedAs(locked, JobStatus.PENDING, JobStatus.WAITING))
                    .orderBy(JOBS.ID)
                    .forUpdate()
                    .skipLocked());
    CommonTableExpression<?> cancelled =
        name("cancelled")
            .as(
                deleteFrom(JOBS)
                    .where(JOBS.ID.eq(any(array(select(JobRows.idOf(deletable)).from(deletable)))))
                    .returning(Archive.columns()));
    CommonTableExpression<?> requested =
        name("requested")
            .as(
                update(JOBS)
                    .set(
                        JOBS.CANCEL_REQUESTED_AT,
                        coalesce(JOBS.CANCEL_REQUESTED_AT, DatabaseClock.NOW))
                    .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                    .where(isLockedAs(locked, JobStatus.RUNNING))
                    .returning(JOBS.ID));
    return with(locked, deletable, cancelled, Archive.of(cancelled, JobStatus.CANCELLED), requested)
        .select(
            JobRows.answer(cancelled, CancelResult.CANCELLED)
                .when(JobRows.isIn(requested), JobRows.literal(CancelResult.REQUESTED))
                .when(
                    JobRows.statusOf(locked).eq(JobPredicates.literal(JobStatus.DEAD)),
                    JobRows.literal(CancelResult.DEAD))
                .when(JobRows.exists(), JobRows.literal(CancelResult.BUSY))
                .otherwise(JobRows.literal(CancelResult.GONE)))
        .from(JobRows.GIVEN)
        .leftJoin(locked)
        .on(JobRows.joins(locked))
        .leftJoin(cancelled)
        .on(JobRows.joins(cancelled))
        .leftJoin(requested)
        .on(JobRows.joins(requested))
        .orderBy(JobRows.POSITION);
  }

  private static Condition isLockedAs(CommonTableExpression<?> locked, JobStatus... statuses) {
    return JOBS.ID.eq(
        any(
            array(
                select(JobRows.idOf(locked))
                    .from(locked)
                    .where(JobRows.statusOf(locked).in(JobPredicates.literals(statuses))))));
  }
}
