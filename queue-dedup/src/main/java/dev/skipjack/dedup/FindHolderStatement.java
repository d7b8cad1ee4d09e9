package dev.skipjack.dedup;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_KEYS;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.Texts;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jooq.Field;
import org.jooq.ResultQuery;

/**
 * Finds the job that holds a key: the live one, or the one that took it for a period.
 *
 * <pre>{@code
 * SELECT id, status, attempts > uncounted_attempts FROM jobs WHERE unique_key = :key
 * SELECT job_id, status, attempts > uncounted_attempts FROM job_keys LEFT JOIN jobs ON jobs.id = job_keys.job_id
 *  WHERE key = :key AND expires_at > clock_timestamp()
 * }</pre>
 */
final class FindHolderStatement {

  private static final Field<String> KEY = Texts.param("key");

  private FindHolderStatement() {}

  static ResultQuery<?> byJob() {
    return select(JOBS.ID, JOBS.STATUS, Twins.hasUsedAttempt(JOBS))
        .from(JOBS)
        .where(JOBS.UNIQUE_KEY.eq(KEY));
  }

  static ResultQuery<?> byPeriod() {
    return select(JOB_KEYS.JOB_ID, JOBS.STATUS, Twins.hasUsedAttempt(JOBS))
        .from(JOB_KEYS)
        .leftJoin(JOBS)
        .on(JOBS.ID.eq(JOB_KEYS.JOB_ID))
        .where(JOB_KEYS.KEY.eq(KEY))
        .and(JOB_KEYS.EXPIRES_AT.gt(DatabaseClock.NOW));
  }

  static Arguments arguments(String key) {
    return new Arguments().text("key", key);
  }

  static KeyHolder read(ResultSet row) throws SQLException {
    HolderStatus status = Twins.read(row, 2, 3);
    return new KeyHolder(new JobId(row.getLong(1)), status == null ? HolderStatus.ENDED : status);
  }
}
