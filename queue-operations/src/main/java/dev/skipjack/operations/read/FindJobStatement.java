package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_STACKS;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.spi.Headers;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;

/**
 * Finds a job, live or archived.
 *
 * <pre>{@code
 * SELECT ... FROM jobs LEFT JOIN job_stacks ON execution_id = current_execution_id AND job_id = id WHERE id = :id
 *  UNION ALL
 * SELECT ... FROM jobs_archive WHERE id = :id
 * }</pre>
 *
 * <p>It is a single statement because a job that ends between two statements would be found by
 * neither or by both. The archive is partitioned by day and an id does not contain the day, so the
 * primary key of every partition is probed. Each probe reads two or three pages, which stay cached.
 * Locks nothing.
 */
final class FindJobStatement {

  private static final Param<Long> ID = param("id", Long.class);

  private static final Field<JSONB> RESULT = castNull(JOBS_ARCHIVE.RESULT);

  private FindJobStatement() {}

  /** The columns of live and archived jobs that a role may not be allowed to read. */
  private record Content(
      Field<JSONB> payload,
      Field<JSONB> progress,
      Field<JSONB> headers,
      Field<JSONB> archivedPayload,
      Field<JSONB> archivedResult,
      Field<JSONB> archivedHeaders) {

    static Content whole() {
      return new Content(
          JOBS.PAYLOAD,
          JOBS.PROGRESS,
          JOBS.HEADERS,
          JOBS_ARCHIVE.PAYLOAD,
          JOBS_ARCHIVE.RESULT,
          JOBS_ARCHIVE.HEADERS);
    }

    static Content none() {
      return new Content(
          castNull(JOBS.PAYLOAD),
          castNull(JOBS.PROGRESS),
          castNull(JOBS.HEADERS).as(JOBS.HEADERS),
          castNull(JOBS_ARCHIVE.PAYLOAD),
          castNull(JOBS_ARCHIVE.RESULT),
          castNull(JOBS_ARCHIVE.HEADERS));
    }
  }

  static Statement<JobId, JobDetails> of(DSLContext dialect) {
    return of(dialect, Content.whole());
  }

  /** Returns a statement that reads neither payload, headers, progress nor result. */
  static Statement<JobId, JobDetails> withoutPayload(DSLContext dialect) {
    return of(dialect, Content.none());
  }

  private static Statement<JobId, JobDetails> of(DSLContext dialect, Content content) {
    return Statement.of(
        dialect,
        query(content),
        id -> new Arguments().number("id", id.value()),
        row -> read(row, content));
  }

  private static ResultQuery<?> query(Content content) {
    return select(
            and(
                JobSummaries.LIVE,
                content.payload(),
                JOBS.PAYLOAD_VERSION,
                JOBS.CURRENT_EXECUTION_ID,
                JOBS.LEASE_EXPIRES_AT,
                JOBS.CANCEL_REQUESTED_AT,
                JOBS.UNIQUE_LABEL,
                JOBS.ORDERING_KEY,
                content.progress(),
                RESULT,
                content.headers()))
        .select(Stacks.WHOLE.columns())
        .from(JOBS)
        .leftJoin(JOB_STACKS)
        .on(Stacks.IS_CURRENT)
        .where(JOBS.ID.eq(ID))
        .unionAll(
            select(
                    and(
                        JobSummaries.ARCHIVED,
                        content.archivedPayload(),
                        JOBS_ARCHIVE.PAYLOAD_VERSION,
                        JOBS_ARCHIVE.EXECUTION_ID,
                        castNull(SQLDataType.INSTANT),
                        castNull(SQLDataType.INSTANT),
                        JOBS_ARCHIVE.UNIQUE_LABEL,
                        JOBS_ARCHIVE.ORDERING_KEY,
                        castNull(JOBS.PROGRESS),
                        content.archivedResult(),
                        content.archivedHeaders()))
                .select(Stacks.NONE)
                .from(JOBS_ARCHIVE)
                .where(JOBS_ARCHIVE.ID.eq(ID)));
  }

  private static List<Field<?>> and(JobSummaries summary, Field<?>... more) {
    List<Field<?>> all = new ArrayList<>(summary.columns());
    all.addAll(List.of(more));
    return all;
  }

  /** Reads a job. The columns of a union have the names of its first part. */
  private static JobDetails read(Row row, Content content) throws SQLException {
    Long execution = row.numberOrNull(JOBS.CURRENT_EXECUTION_ID);
    return new JobDetails(
        JobSummaries.LIVE.read(row),
        row.textOrNull(content.payload()),
        row.integer(JOBS.PAYLOAD_VERSION),
        execution == null ? null : new ExecutionId(execution),
        row.instantOrNull(JOBS.LEASE_EXPIRES_AT),
        row.instantOrNull(JOBS.CANCEL_REQUESTED_AT),
        row.textOrNull(JOBS.UNIQUE_LABEL),
        row.textOrNull(JOBS.ORDERING_KEY),
        row.textOrNull(content.progress()),
        row.textOrNull(RESULT),
        Headers.parse(row.textOrNull(content.headers())),
        Stacks.WHOLE.read(row),
        List.of());
  }
}
