package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobDetails;
import dev.skipjack.api.JobId;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Finds a job, live or archived.
 *
 * <pre>{@code
 * SELECT ... FROM jobs WHERE id = :id UNION ALL SELECT ... FROM jobs_archive WHERE id = :id
 * }</pre>
 *
 * <p>One statement, because a job that ends between two would be in neither of them or in both. The
 * archive is partitioned by day and an id tells no day, so the primary key of every partition is
 * probed: two or three pages each, which stay cached. Locks nothing.
 */
final class FindStatement {

  private static final Param<Long> ID = param("id", Long.class);

  private FindStatement() {}

  static ResultQuery<?> query() {
    return select(
            and(
                JobSummaries.LIVE,
                JOBS.PAYLOAD,
                JOBS.PAYLOAD_VERSION,
                JOBS.CURRENT_EXECUTION_ID,
                JOBS.LEASE_EXPIRES_AT,
                JOBS.CANCEL_REQUESTED_AT,
                JOBS.UNIQUE_LABEL,
                JOBS.ORDERING_KEY,
                JOBS.PROGRESS,
                castNull(JOBS_ARCHIVE.RESULT),
                JOBS.TRACEPARENT))
        .from(JOBS)
        .where(JOBS.ID.eq(ID))
        .unionAll(
            select(
                    and(
                        JobSummaries.ARCHIVED,
                        JOBS_ARCHIVE.PAYLOAD,
                        JOBS_ARCHIVE.PAYLOAD_VERSION,
                        JOBS_ARCHIVE.EXECUTION_ID,
                        castNull(SQLDataType.INSTANT),
                        castNull(SQLDataType.INSTANT),
                        JOBS_ARCHIVE.UNIQUE_LABEL,
                        JOBS_ARCHIVE.ORDERING_KEY,
                        castNull(JOBS.PROGRESS),
                        JOBS_ARCHIVE.RESULT,
                        JOBS_ARCHIVE.TRACEPARENT))
                .from(JOBS_ARCHIVE)
                .where(JOBS_ARCHIVE.ID.eq(ID)));
  }

  private static List<Field<?>> and(List<Field<?>> summary, Field<?>... more) {
    List<Field<?>> all = new ArrayList<>(summary);
    all.addAll(List.of(more));
    return all;
  }

  static Arguments arguments(JobId id) {
    return new Arguments().number("id", id.value());
  }

  static JobDetails read(ResultSet row) throws SQLException {
    int next = JobSummaries.LIVE.size() + 1;
    return new JobDetails(
        JobSummaries.read(row, 1),
        row.getString(next),
        row.getInt(next + 1),
        execution(Columns.bigint(row, next + 2)),
        Columns.instant(row, next + 3),
        Columns.instant(row, next + 4),
        row.getString(next + 5),
        row.getString(next + 6),
        row.getString(next + 7),
        row.getString(next + 8),
        row.getString(next + 9),
        List.of());
  }

  private static @Nullable ExecutionId execution(@Nullable Long id) {
    return id == null ? null : new ExecutionId(id);
  }
}
