package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_STACKS;
import static dev.skipjack.model.Tables.JOB_WORKERS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.operations.RunningJob;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.WorkerIdentity;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * Lists the running jobs whose attempt has run longest, with the process that runs each.
 *
 * <pre>{@code
 * SELECT ..., host, pid, now(), sampled_at, left(stack, 2000), problem
 *   FROM jobs
 *   LEFT JOIN LATERAL (SELECT host, pid FROM job_workers WHERE name || '/' || left(boot_id::text, 8) = locked_by
 *                       ORDER BY seen_at DESC LIMIT 1) AS process ON true
 *   LEFT JOIN job_stacks ON execution_id = current_execution_id AND job_id = id
 *  WHERE id = ANY (ARRAY(SELECT id FROM (SELECT id, started_at FROM jobs WHERE status = 'running'
 *                                         ORDER BY current_execution_id LIMIT 10000) AS oldest
 *                         WHERE started_at <= now() - :at_least ORDER BY started_at, id LIMIT :limit))
 *  ORDER BY started_at, id
 * }</pre>
 *
 * <p>Executions are numbered in the order of the claims, so the first ones of the partial index are
 * the oldest. Locks nothing.
 */
final class LongestRunningStatement {

  private static final Param<Long> AT_LEAST = param("at_least", Long.class);
  private static final Param<Long> LIMIT = param("limit", Long.class);
  private static final Field<String> HOST = field(name("process", "host"), SQLDataType.CLOB);
  private static final Field<Long> PID = field(name("process", "pid"), SQLDataType.BIGINT);
  private static final Field<Instant> NOW = DatabaseClock.TRANSACTION_START.as("now");

  private LongestRunningStatement() {}

  /** The jobs to list. */
  record Request(Duration atLeast, int limit) {}

  static Statement<Request, RunningJob> of(DSLContext dialect) {
    return Statement.of(
        dialect, query(), LongestRunningStatement::arguments, LongestRunningStatement::read);
  }

  private static ResultQuery<?> query() {
    Table<?> oldest =
        select(JOBS.ID, JOBS.STARTED_AT)
            .from(JOBS)
            .where(JobPredicates.RUNNING)
            .orderBy(JOBS.CURRENT_EXECUTION_ID)
            .limit(inline(ReadBounds.EXACT))
            .asTable("oldest");
    Field<Long> id = field(name("oldest", "id"), Long.class);
    Field<Instant> startedAt = field(name("oldest", "started_at"), SQLDataType.INSTANT);
    Table<?> process =
        select(JOB_WORKERS.HOST, JOB_WORKERS.PID)
            .from(JOB_WORKERS)
            .where(WorkerIdentity.OF_ROW.eq(JOBS.LOCKED_BY))
            .orderBy(JOB_WORKERS.SEEN_AT.desc())
            .limit(inline(1))
            .asTable("process");
    return select(JobSummaries.LIVE.columns())
        .select(HOST, PID, NOW)
        .select(Stacks.BEGINNING.columns())
        .from(JOBS)
        .leftJoin(lateral(process))
        .on(inline(true))
        .leftJoin(JOB_STACKS)
        .on(Stacks.IS_CURRENT)
        .where(
            JOBS.ID.eq(
                any(
                    array(
                        select(id)
                            .from(oldest)
                            .where(
                                startedAt.le(
                                    DatabaseClock.minusMicros(
                                        DatabaseClock.TRANSACTION_START, AT_LEAST)))
                            .orderBy(startedAt, id)
                            .limit(LIMIT)))))
        .and(JobPredicates.RUNNING)
        .orderBy(JOBS.STARTED_AT, JOBS.ID);
  }

  private static Arguments arguments(Request request) {
    return new Arguments()
        .number("at_least", DatabaseClock.micros(request.atLeast()))
        .number("limit", request.limit());
  }

  private static RunningJob read(Row row) throws SQLException {
    return new RunningJob(
        JobSummaries.LIVE.read(row),
        Duration.between(row.instant(JOBS.STARTED_AT), row.instant(NOW)),
        row.textOrNull(HOST),
        row.numberOrNull(PID),
        Stacks.BEGINNING.read(row));
  }
}
