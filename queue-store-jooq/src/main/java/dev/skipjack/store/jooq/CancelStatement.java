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

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.ordering.KeyedResult;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;

/**
 * Cancels jobs: archives pending and waiting jobs, and marks running ones.
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
 * SELECT CASE WHEN cancelled .. WHEN requested .. WHEN locked.status = 'dead' .. WHEN EXISTS (the row) THEN 'BUSY' ELSE 'GONE' END, cancelled.ordering_key, cancelled.owner_id
 *   FROM given LEFT JOIN locked ... LEFT JOIN cancelled ... LEFT JOIN requested ...
 * }</pre>
 *
 * <p>The status is that of the locked row. If a pending job is being claimed, this call reports it
 * as busy, and the next call finds it running. Both locks take rows in id order and do not wait
 * ({@link CommandCtes}). Only the lock for the delete conflicts with a foreign key of an open
 * transaction.
 *
 * <p>If a cancelled job was the head of its ordering key, the caller promotes the next job after
 * the commit.
 */
final class CancelStatement {

  private CancelStatement() {}

  static Statement<List<JobId>, KeyedResult<CancelResult>> of(DSLContext dialect) {
    CommonTableExpression<?> locked = CommandCtes.lockedForUpdateOnly(JOBS.ID, JOBS.STATUS);
    CommonTableExpression<?> deletable =
        name("deletable")
            .asMaterialized(
                select(JOBS.ID)
                    .from(JOBS)
                    .where(
                        CommandCtes.isLockedAsOneOf(locked, JobStatus.PENDING, JobStatus.WAITING))
                    .orderBy(JOBS.ID)
                    .forUpdate()
                    .skipLocked());
    CommonTableExpression<?> cancelled =
        name("cancelled")
            .as(
                deleteFrom(JOBS)
                    .where(
                        JOBS.ID.eq(any(array(select(CommandCtes.idOf(deletable)).from(deletable)))))
                    .returning(Archive.columns(true)));
    CommonTableExpression<?> requested =
        name("requested")
            .as(
                update(JOBS)
                    .set(
                        JOBS.CANCEL_REQUESTED_AT,
                        coalesce(JOBS.CANCEL_REQUESTED_AT, DatabaseClock.NOW))
                    .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                    .where(CommandCtes.isLockedAsOneOf(locked, JobStatus.RUNNING))
                    .returning(JOBS.ID));
    Field<String> result =
        CommandCtes.result(cancelled, CancelResult.CANCELLED)
            .when(CommandCtes.isIn(requested), CommandCtes.literal(CancelResult.REQUESTED))
            .when(
                CommandCtes.statusOf(locked).eq(JobPredicates.literal(JobStatus.DEAD)),
                CommandCtes.literal(CancelResult.DEAD))
            .when(CommandCtes.exists(), CommandCtes.literal(CancelResult.BUSY))
            .otherwise(CommandCtes.literal(CancelResult.GONE));
    Field<String> orderingKey = CommandCtes.orderingKeyOf(cancelled);
    Field<Long> owner = CommandCtes.ownerOf(cancelled);
    return Statement.of(
        dialect,
        CommandCtes.resultOfEach(
                with(
                    locked,
                    deletable,
                    cancelled,
                    Archive.of(cancelled, JobStatus.CANCELLED, true),
                    requested),
                List.of(result, orderingKey, owner),
                locked,
                cancelled,
                requested)
            .orderBy(CommandCtes.POSITION),
        CommandCtes::arguments,
        row ->
            new KeyedResult<>(
                CancelResult.valueOf(row.text(result)),
                row.textOrNull(orderingKey),
                row.numberOrNull(owner)));
  }
}
