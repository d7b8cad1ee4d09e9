package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectCount;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.api.operations.LimitState;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.LimitColumns;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/**
 * Lists the limits with the queues that name them and the number of running jobs.
 *
 * <pre>{@code
 * SELECT name, max_running, ..., updated_at, ARRAY(SELECT queue FROM job_queues WHERE limit_name = name ORDER BY queue),
 *        (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE status = 'running' AND limit_name = name LIMIT 10000) AS used)
 *   FROM job_limits ORDER BY name LIMIT 1000
 * }</pre>
 *
 * <p>The number of limits and the number of running jobs of each are limited. Locks nothing.
 */
final class LimitsStatement {

  private LimitsStatement() {}

  static Statement<NoRequest, LimitState> of(DSLContext dialect) {
    Field<String[]> queues =
        array(
                select(JOB_QUEUES.QUEUE.cast(SQLDataType.CLOB))
                    .from(JOB_QUEUES)
                    .where(JOB_QUEUES.LIMIT_NAME.eq(JOB_LIMITS.NAME))
                    .orderBy(JOB_QUEUES.QUEUE))
            .as("queues");
    Field<Integer> running =
        field(
                selectCount()
                    .from(
                        selectOne()
                            .from(JOBS)
                            .where(JobPredicates.RUNNING)
                            .and(JOBS.LIMIT_NAME.eq(JOB_LIMITS.NAME))
                            .limit(inline(ReadBounds.EXACT))
                            .asTable("used")))
            .as("running");
    return Statement.of(
        dialect,
        select(JOB_LIMITS.NAME)
            .select(LimitColumns.ALL)
            .select(JOB_LIMITS.UPDATED_AT, queues, running)
            .from(JOB_LIMITS)
            .orderBy(JOB_LIMITS.NAME)
            .limit(inline(ReadBounds.LIMITS)),
        row ->
            new LimitState(
                row.text(JOB_LIMITS.NAME),
                LimitColumns.read(row),
                row.texts(queues),
                row.integer(running),
                row.instant(JOB_LIMITS.UPDATED_AT)));
  }
}
