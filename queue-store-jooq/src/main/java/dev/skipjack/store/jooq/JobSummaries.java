package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static org.jooq.impl.DSL.castNull;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobSummary;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/** What is shown of a job wherever jobs are shown, live and archived ones in the same columns. */
final class JobSummaries {

  static final List<Field<?>> LIVE =
      List.of(
          JOBS.ID,
          JOBS.STATUS,
          JOBS.QUEUE,
          JOBS.KIND,
          JOBS.PRIORITY,
          JOBS.ATTEMPTS,
          JOBS.UNCOUNTED_ATTEMPTS,
          JOBS.MAX_ATTEMPTS,
          JOBS.CREATED_AT,
          JOBS.SCHEDULED_AT,
          JOBS.STARTED_AT,
          JOBS.DIED_AT,
          castNull(SQLDataType.INSTANT).as(JOBS_ARCHIVE.FINISHED_AT),
          JOBS.LOCKED_BY,
          JOBS.LAST_ERROR,
          JOBS.TAGS);

  static final List<Field<?>> ARCHIVED =
      List.of(
          JOBS_ARCHIVE.ID,
          JOBS_ARCHIVE.STATUS,
          JOBS_ARCHIVE.QUEUE,
          JOBS_ARCHIVE.KIND,
          JOBS_ARCHIVE.PRIORITY,
          JOBS_ARCHIVE.ATTEMPTS,
          JOBS_ARCHIVE.UNCOUNTED_ATTEMPTS,
          JOBS_ARCHIVE.MAX_ATTEMPTS,
          JOBS_ARCHIVE.CREATED_AT,
          JOBS_ARCHIVE.SCHEDULED_AT,
          JOBS_ARCHIVE.STARTED_AT,
          castNull(SQLDataType.INSTANT).as(JOBS.DIED_AT),
          JOBS_ARCHIVE.FINISHED_AT,
          JOBS_ARCHIVE.WORKER_ID,
          JOBS_ARCHIVE.LAST_ERROR,
          JOBS_ARCHIVE.TAGS);

  private JobSummaries() {}

  /**
   * Reads the columns above.
   *
   * @param first where they begin
   */
  static JobSummary read(ResultSet row, int first) throws SQLException {
    return new JobSummary(
        new JobId(row.getLong(first)),
        JobStatus.of(row.getString(first + 1)),
        row.getString(first + 2),
        row.getString(first + 3),
        row.getInt(first + 4),
        row.getInt(first + 5),
        row.getInt(first + 6),
        row.getInt(first + 7),
        Columns.requireInstant(row, first + 8),
        Columns.requireInstant(row, first + 9),
        Columns.instant(row, first + 10),
        Columns.instant(row, first + 11),
        Columns.instant(row, first + 12),
        row.getString(first + 13),
        row.getString(first + 14),
        Columns.texts(row, first + 15));
  }
}
