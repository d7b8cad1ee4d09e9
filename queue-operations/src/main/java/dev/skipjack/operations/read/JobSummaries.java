package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static org.jooq.impl.DSL.castNull;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.sql.Row;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/** The columns of a job in every list, which are the same for live and archived jobs. */
final class JobSummaries {

  static final JobSummaries LIVE =
      new JobSummaries(
          JOBS,
          JOBS.DIED_AT,
          castNull(SQLDataType.INSTANT).as(JOBS_ARCHIVE.FINISHED_AT),
          JOBS.LOCKED_BY);

  static final JobSummaries ARCHIVED =
      new JobSummaries(
          JOBS_ARCHIVE,
          castNull(SQLDataType.INSTANT).as(JOBS.DIED_AT),
          JOBS_ARCHIVE.FINISHED_AT,
          JOBS_ARCHIVE.WORKER_ID);

  private final Table<?> table;
  private final Field<Long> id;
  private final Field<Instant> diedAt;
  private final Field<Instant> finishedAt;
  private final Field<String> worker;

  private JobSummaries(
      Table<?> table, Field<Instant> diedAt, Field<Instant> finishedAt, Field<String> worker) {
    this.table = table;
    this.id = column(JOBS.ID);
    this.diedAt = diedAt;
    this.finishedAt = finishedAt;
    this.worker = worker;
  }

  /** Returns the table that contains the jobs. */
  Table<?> table() {
    return table;
  }

  /** Returns the table's column with the ids of the jobs. */
  Field<Long> id() {
    return id;
  }

  /** Returns the columns that {@link #read} needs. */
  List<Field<?>> columns() {
    return List.of(
        id,
        column(JOBS.STATUS),
        column(JOBS.QUEUE),
        column(JOBS.KIND),
        column(JOBS.GROUP_KEY),
        column(JOBS.PRIORITY),
        column(JOBS.ATTEMPTS),
        column(JOBS.UNCOUNTED_ATTEMPTS),
        column(JOBS.MAX_ATTEMPTS),
        column(JOBS.CREATED_AT),
        column(JOBS.SCHEDULED_AT),
        column(JOBS.STARTED_AT),
        diedAt,
        finishedAt,
        worker,
        column(JOBS.LAST_ERROR),
        column(JOBS.TAGS));
  }

  /** Returns the table's column with the same name as a column of {@code jobs}. */
  private <T> Field<T> column(Field<T> ofJobs) {
    return Objects.requireNonNull(table.field(ofJobs), ofJobs.getName());
  }

  /** Reads the job from {@code row}, which has all of {@link #columns}. */
  JobSummary read(Row row) throws SQLException {
    return new JobSummary(
        new JobId(row.number(id)),
        JobStatus.of(row.text(JOBS.STATUS)),
        row.text(JOBS.QUEUE),
        row.text(JOBS.KIND),
        row.textOrNull(JOBS.GROUP_KEY),
        row.integer(JOBS.PRIORITY),
        row.integer(JOBS.ATTEMPTS),
        row.integer(JOBS.UNCOUNTED_ATTEMPTS),
        row.integer(JOBS.MAX_ATTEMPTS),
        row.instant(JOBS.CREATED_AT),
        row.instant(JOBS.SCHEDULED_AT),
        row.instantOrNull(JOBS.STARTED_AT),
        row.instantOrNull(diedAt),
        row.instantOrNull(finishedAt),
        row.textOrNull(worker),
        row.textOrNull(JOBS.LAST_ERROR),
        row.texts(JOBS.TAGS));
  }
}
