package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;

/**
 * Reads the facts about a job, live or archived, that explain its state.
 *
 * <pre>{@code
 * SELECT ..., now() FROM jobs WHERE id = :id UNION ALL SELECT ..., now() FROM jobs_archive WHERE id = :id
 * }</pre>
 *
 * <p>It selects neither payload nor result, so that a role without the right to read them can run
 * it. Locks nothing.
 */
final class JobFactsStatement {

  private static final Param<Long> ID = param("id", Long.class);
  private static final Field<Instant> NO_INSTANT = castNull(SQLDataType.INSTANT);
  private static final Field<Instant> FINISHED_AT = NO_INSTANT.as(JOBS_ARCHIVE.FINISHED_AT);
  private static final Field<Long> POSITION =
      coalesce(JOBS.ORDERING_POSITION, JOBS.ID).as(JOBS.ORDERING_POSITION);
  private static final Field<Instant> NOW = DatabaseClock.TRANSACTION_START.as("now");

  private JobFactsStatement() {}

  static Statement<JobId, JobFacts> of(DSLContext dialect) {
    return Statement.of(
        dialect, query(), id -> new Arguments().number("id", id.value()), JobFactsStatement::read);
  }

  private static ResultQuery<?> query() {
    return select(
            JOBS.ID,
            JOBS.STATUS,
            JOBS.QUEUE,
            JOBS.KIND,
            JOBS.GROUP_KEY,
            JOBS.PRIORITY,
            JOBS.ATTEMPTS,
            JOBS.UNCOUNTED_ATTEMPTS,
            JOBS.MAX_ATTEMPTS,
            JOBS.SCHEDULED_AT,
            JOBS.STARTED_AT,
            JOBS.DIED_AT,
            FINISHED_AT,
            JOBS.LOCKED_BY,
            JOBS.LAST_ERROR,
            JOBS.LEASE_EXPIRES_AT,
            JOBS.CANCEL_REQUESTED_AT,
            JOBS.FREED_UNIQUE_KEY,
            JOBS.UNIQUE_LABEL,
            JOBS.ORDERING_KEY,
            JOBS.ORDERING_HEAD,
            POSITION,
            JOBS.AWAITS,
            JOBS.OWNER_ID,
            NOW)
        .from(JOBS)
        .where(JOBS.ID.eq(ID))
        .unionAll(
            select(
                    JOBS_ARCHIVE.ID,
                    JOBS_ARCHIVE.STATUS,
                    JOBS_ARCHIVE.QUEUE,
                    JOBS_ARCHIVE.KIND,
                    JOBS_ARCHIVE.GROUP_KEY,
                    JOBS_ARCHIVE.PRIORITY,
                    JOBS_ARCHIVE.ATTEMPTS,
                    JOBS_ARCHIVE.UNCOUNTED_ATTEMPTS,
                    JOBS_ARCHIVE.MAX_ATTEMPTS,
                    JOBS_ARCHIVE.SCHEDULED_AT,
                    JOBS_ARCHIVE.STARTED_AT,
                    NO_INSTANT,
                    JOBS_ARCHIVE.FINISHED_AT,
                    JOBS_ARCHIVE.WORKER_ID,
                    JOBS_ARCHIVE.LAST_ERROR,
                    NO_INSTANT,
                    NO_INSTANT,
                    castNull(JOBS.FREED_UNIQUE_KEY),
                    JOBS_ARCHIVE.UNIQUE_LABEL,
                    JOBS_ARCHIVE.ORDERING_KEY,
                    castNull(JOBS.ORDERING_HEAD),
                    JOBS_ARCHIVE.ID,
                    castNull(JOBS.AWAITS),
                    JOBS_ARCHIVE.OWNER_ID,
                    NOW)
                .from(JOBS_ARCHIVE)
                .where(JOBS_ARCHIVE.ID.eq(ID)));
  }

  /** Reads a job. The columns of a union have the names of its first part. */
  private static JobFacts read(Row row) throws SQLException {
    int attempts = row.integer(JOBS.ATTEMPTS);
    return new JobFacts(
        new JobId(row.number(JOBS.ID)),
        JobStatus.of(row.text(JOBS.STATUS)),
        row.text(JOBS.QUEUE),
        row.text(JOBS.KIND),
        row.textOrNull(JOBS.GROUP_KEY),
        row.integer(JOBS.PRIORITY),
        attempts,
        attempts - row.integer(JOBS.UNCOUNTED_ATTEMPTS),
        row.integer(JOBS.MAX_ATTEMPTS),
        row.instant(JOBS.SCHEDULED_AT),
        row.instantOrNull(JOBS.STARTED_AT),
        row.instantOrNull(JOBS.DIED_AT),
        row.instantOrNull(FINISHED_AT),
        row.textOrNull(JOBS.LOCKED_BY),
        row.textOrNull(JOBS.LAST_ERROR),
        row.instantOrNull(JOBS.LEASE_EXPIRES_AT),
        row.instantOrNull(JOBS.CANCEL_REQUESTED_AT),
        row.textOrNull(JOBS.FREED_UNIQUE_KEY),
        row.textOrNull(JOBS.UNIQUE_LABEL),
        row.textOrNull(JOBS.ORDERING_KEY),
        row.isTrue(JOBS.ORDERING_HEAD),
        row.number(POSITION),
        row.textOrNull(JOBS.AWAITS),
        row.numberOrNull(JOBS.OWNER_ID),
        row.instant(NOW));
  }
}
