package dev.skipjack.dedup;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_KEYS;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;

/**
 * Finds the job that holds a key.
 *
 * <pre>{@code
 * SELECT id, status, attempts > uncounted_attempts FROM jobs WHERE unique_key = :key
 * SELECT job_id, status, attempts > uncounted_attempts FROM job_keys LEFT JOIN jobs ON jobs.id = job_keys.job_id
 *  WHERE key = :key AND expires_at > clock_timestamp()
 * }</pre>
 */
final class FindHolderStatement {

  private static final Field<String> KEY = Texts.param("key");

  private static final Field<Boolean> HAS_USED_ATTEMPT = Holders.hasUsedAttempt(JOBS);

  private FindHolderStatement() {}

  /** Finds the holder of a key that is stored in the job's row. */
  static Statement<String, KeyHolder> byJob(DSLContext dialect) {
    return of(
        dialect,
        JOBS.ID,
        select(JOBS.ID, JOBS.STATUS, HAS_USED_ATTEMPT).from(JOBS).where(JOBS.UNIQUE_KEY.eq(KEY)));
  }

  /** Finds the holder of a key that is held for a period. */
  static Statement<String, KeyHolder> byPeriod(DSLContext dialect) {
    return of(
        dialect,
        JOB_KEYS.JOB_ID,
        select(JOB_KEYS.JOB_ID, JOBS.STATUS, HAS_USED_ATTEMPT)
            .from(JOB_KEYS)
            .leftJoin(JOBS)
            .on(JOBS.ID.eq(JOB_KEYS.JOB_ID))
            .where(JOB_KEYS.KEY.eq(KEY))
            .and(JOB_KEYS.EXPIRES_AT.gt(DatabaseClock.NOW)));
  }

  private static Statement<String, KeyHolder> of(
      DSLContext dialect, Field<Long> id, ResultQuery<?> query) {
    return Statement.of(
        dialect,
        query,
        key -> new Arguments().text("key", key),
        row -> {
          HolderStatus status = Holders.status(row, JOBS.STATUS, HAS_USED_ATTEMPT);
          return new KeyHolder(
              new JobId(row.number(id)), status == null ? HolderStatus.ENDED : status);
        });
  }
}
