package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.notExists;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.RedriveResult;
import dev.skipjack.model.tables.Jobs;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.JobPredicates;
import dev.skipjack.store.jooq.internal.sql.Statement;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;

/**
 * Redrives dead jobs: returns them to their queues with fresh attempts.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (SELECT id, status, freed_unique_key FROM jobs WHERE id = ANY (:ids) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
 * free AS MATERIALIZED (SELECT min(id) AS id FROM locked
 *                        WHERE status = 'dead' AND NOT EXISTS (SELECT FROM jobs WHERE unique_key = locked.freed_unique_key)
 *                        GROUP BY coalesce(freed_unique_key, id)),
 * redriven AS (UPDATE jobs SET status = 'pending', uncounted_attempts = attempts, unique_key = coalesce(unique_key, freed_unique_key), ...
 *               WHERE id = ANY (ARRAY(SELECT id FROM free)) RETURNING id)
 * SELECT CASE .. END, (the holder of the key) FROM given ...
 * }</pre>
 *
 * <p>If two dead jobs had the same key, only the older one is redriven. If another transaction
 * takes the key between the check and the update, the statement fails with a unique violation, and
 * the caller retries with smaller batches. If another transaction has taken a key but has not
 * committed, the statement has to wait with all these rows locked, so it waits for at most a tenth
 * of a second. A single job whose key is still not free after that is reported as busy. {@link
 * CommandCtes} explains the lock order.
 */
final class RedriveStatement {

  /** The result in SQL. Unlike {@link RedriveResult}, it does not include the key's holder. */
  private enum Result {
    REDRIVEN,
    CONFLICT,
    NOT_DEAD,
    BUSY,
    GONE
  }

  private static final Field<String> FREED_KEY =
      field(name("locked", JOBS.FREED_UNIQUE_KEY.getName()), String.class);

  private RedriveStatement() {}

  static Statement<List<JobId>, RedriveResult> of(DSLContext dialect) {
    CommonTableExpression<?> locked =
        CommandCtes.lockedForUpdateOnly(JOBS.ID, JOBS.STATUS, JOBS.FREED_UNIQUE_KEY);
    CommonTableExpression<?> free = free(locked);
    CommonTableExpression<?> redriven = redriven(free);
    Jobs holder = JOBS.as("holder");
    Field<String> result =
        CommandCtes.result(redriven, Result.REDRIVEN)
            .when(
                CommandCtes.statusOf(locked).eq(JobPredicates.literal(JobStatus.DEAD)),
                CommandCtes.literal(Result.CONFLICT))
            .when(CommandCtes.isIn(locked), CommandCtes.literal(Result.NOT_DEAD))
            .when(CommandCtes.exists(), CommandCtes.literal(Result.BUSY))
            .otherwise(CommandCtes.literal(Result.GONE));
    Field<Long> holderOfKey =
        coalesce(
            field(select(holder.ID).from(holder).where(holder.UNIQUE_KEY.eq(FREED_KEY))),
            field(
                select(min(field(name("twin", "id"), Long.class)))
                    .from(locked.as("twin"))
                    .where(
                        field(name("twin", JOBS.FREED_UNIQUE_KEY.getName()), String.class)
                            .eq(FREED_KEY))));
    return Statement.of(
        dialect,
        CommandCtes.resultOfEach(
                with(locked, free, redriven), List.of(result, holderOfKey), locked, redriven)
            .orderBy(CommandCtes.POSITION),
        CommandCtes::arguments,
        row ->
            switch (Result.valueOf(row.text(result))) {
              case REDRIVEN -> new RedriveResult.Redriven();
              case CONFLICT -> new RedriveResult.Conflict(new JobId(row.number(holderOfKey)));
              case NOT_DEAD -> new RedriveResult.NotDead();
              case BUSY -> new RedriveResult.Busy();
              case GONE -> new RedriveResult.Gone();
            });
  }

  private static CommonTableExpression<?> free(CommonTableExpression<?> locked) {
    Jobs holder = JOBS.as("holder");
    return name("free")
        .asMaterialized(
            select(min(CommandCtes.idOf(locked)).as("id"))
                .from(locked)
                .where(CommandCtes.statusOf(locked).eq(JobPredicates.literal(JobStatus.DEAD)))
                .and(notExists(selectOne().from(holder).where(holder.UNIQUE_KEY.eq(FREED_KEY))))
                .groupBy(coalesce(FREED_KEY, CommandCtes.idOf(locked).cast(String.class))));
  }

  private static CommonTableExpression<?> redriven(CommonTableExpression<?> free) {
    return name("redriven")
        .as(
            update(JOBS)
                .set(JOBS.STATUS, JobPredicates.literal(JobStatus.PENDING))
                .set(JOBS.SCHEDULED_AT, DatabaseClock.NOW)
                .set(JOBS.UNCOUNTED_ATTEMPTS, JOBS.ATTEMPTS)
                .set(JOBS.DIED_AT, castNull(JOBS.DIED_AT))
                // Already null. But PostgreSQL first checks the constraints on the new row as
                // computed
                // from its snapshot, in which the job may have been running, and then rereads the
                // row.
                .set(JOBS.CURRENT_EXECUTION_ID, castNull(JOBS.CURRENT_EXECUTION_ID))
                .set(JOBS.LEASE_EXPIRES_AT, castNull(JOBS.LEASE_EXPIRES_AT))
                .set(JOBS.CANCEL_REQUESTED_AT, castNull(JOBS.CANCEL_REQUESTED_AT))
                .set(JOBS.UNIQUE_KEY, coalesce(JOBS.UNIQUE_KEY, JOBS.FREED_UNIQUE_KEY))
                .set(JOBS.FREED_UNIQUE_KEY, castNull(JOBS.FREED_UNIQUE_KEY))
                .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                .where(JOBS.ID.eq(any(array(select(CommandCtes.idOf(free)).from(free)))))
                .returning(JOBS.ID));
  }
}
