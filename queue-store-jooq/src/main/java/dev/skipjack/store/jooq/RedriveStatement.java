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
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jooq.CommonTableExpression;
import org.jooq.Field;
import org.jooq.ResultQuery;

/**
 * Gives dead jobs fresh attempts.
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
 * <p>Of two dead jobs that had one key the older is redriven. A rival that takes the key between
 * the look and the update makes the statement fail with a unique violation; the caller then goes
 * job by job. {@link JobRows} tells the lock order. A key that an open transaction has taken would
 * be waited for with all these rows locked, so the wait is a tenth of a second at most; a job that
 * alone still meets it is answered as busy.
 */
final class RedriveStatement {

  /** What a row answers; the sealed result carries the holder as well. */
  enum Answer {
    REDRIVEN,
    CONFLICT,
    NOT_DEAD,
    BUSY,
    GONE
  }

  private static final Field<String> FREED_KEY =
      field(name("locked", JOBS.FREED_UNIQUE_KEY.getName()), String.class);

  private RedriveStatement() {}

  static ResultQuery<?> query() {
    CommonTableExpression<?> locked =
        JobRows.lockedForUpdateOnly(JOBS.ID, JOBS.STATUS, JOBS.FREED_UNIQUE_KEY);
    CommonTableExpression<?> free = free(locked);
    CommonTableExpression<?> redriven = redriven(free);
    Jobs holder = JOBS.as("holder");
    return with(locked, free, redriven)
        .select(
            JobRows.answer(redriven, Answer.REDRIVEN)
                .when(
                    JobRows.statusOf(locked).eq(JobPredicates.literal(JobStatus.DEAD)),
                    JobRows.literal(Answer.CONFLICT))
                .when(JobRows.isIn(locked), JobRows.literal(Answer.NOT_DEAD))
                .when(JobRows.exists(), JobRows.literal(Answer.BUSY))
                .otherwise(JobRows.literal(Answer.GONE)),
            coalesce(
                field(select(holder.ID).from(holder).where(holder.UNIQUE_KEY.eq(FREED_KEY))),
                field(
                    select(min(field(name("twin", "id"), Long.class)))
                        .from(locked.as("twin"))
                        .where(
                            field(name("twin", JOBS.FREED_UNIQUE_KEY.getName()), String.class)
                                .eq(FREED_KEY)))))
        .from(JobRows.GIVEN)
        .leftJoin(locked)
        .on(JobRows.joins(locked))
        .leftJoin(redriven)
        .on(JobRows.joins(redriven))
        .orderBy(JobRows.POSITION);
  }

  private static CommonTableExpression<?> free(CommonTableExpression<?> locked) {
    Jobs holder = JOBS.as("holder");
    return name("free")
        .asMaterialized(
            select(min(JobRows.idOf(locked)).as("id"))
                .from(locked)
                .where(JobRows.statusOf(locked).eq(JobPredicates.literal(JobStatus.DEAD)))
                .and(notExists(selectOne().from(holder).where(holder.UNIQUE_KEY.eq(FREED_KEY))))
                .groupBy(coalesce(FREED_KEY, JobRows.idOf(locked).cast(String.class))));
  }

  private static CommonTableExpression<?> redriven(CommonTableExpression<?> free) {
    return name("redriven")
        .as(
            update(JOBS)
                .set(JOBS.STATUS, JobPredicates.literal(JobStatus.PENDING))
                .set(JOBS.SCHEDULED_AT, DatabaseClock.NOW)
                .set(JOBS.UNCOUNTED_ATTEMPTS, JOBS.ATTEMPTS)
                .set(JOBS.DIED_AT, castNull(JOBS.DIED_AT))
                // Null already. But PostgreSQL first checks the constraints on what it makes of the
                // row in its snapshot, which may have been running, and only then meets the dead.
                .set(JOBS.CURRENT_EXECUTION_ID, castNull(JOBS.CURRENT_EXECUTION_ID))
                .set(JOBS.LEASE_EXPIRES_AT, castNull(JOBS.LEASE_EXPIRES_AT))
                .set(JOBS.CANCEL_REQUESTED_AT, castNull(JOBS.CANCEL_REQUESTED_AT))
                .set(JOBS.UNIQUE_KEY, coalesce(JOBS.UNIQUE_KEY, JOBS.FREED_UNIQUE_KEY))
                .set(JOBS.FREED_UNIQUE_KEY, castNull(JOBS.FREED_UNIQUE_KEY))
                .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                .where(JOBS.ID.eq(any(array(select(JobRows.idOf(free)).from(free)))))
                .returning(JOBS.ID));
  }

  static RedriveResult read(ResultSet row) throws SQLException {
    return switch (Answer.valueOf(row.getString(1))) {
      case REDRIVEN -> new RedriveResult.Redriven();
      case CONFLICT -> new RedriveResult.Conflict(new JobId(row.getLong(2)));
      case NOT_DEAD -> new RedriveResult.NotDead();
      case BUSY -> new RedriveResult.Busy();
      case GONE -> new RedriveResult.Gone();
    };
  }
}
