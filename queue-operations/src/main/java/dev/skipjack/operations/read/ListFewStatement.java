package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.rowNumber;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Statement;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;

/**
 * Lists the running or the waiting jobs by id. Usually, few jobs have these statuses.
 *
 * <pre>{@code
 * seen AS MATERIALIZED (SELECT id, id > :after AND <filters> AS matches,
 *                              row_number() OVER (ORDER BY current_execution_id) AS place
 *                         FROM jobs WHERE status = 'running' ORDER BY current_execution_id LIMIT 10001)
 * }</pre>
 *
 * <p>{@link PageQuery} explains the rest. The partial index of the status is not ordered by id, so
 * all of its entries are read and sorted. If there are more than 10,000, the horizon marks the page
 * as unusable, and {@link ListLiveStatement} lists the jobs instead. Locks nothing.
 */
final class ListFewStatement {

  private ListFewStatement() {}

  static Statement<PageQuery.Request, PageQuery.Entry> running(
      DSLContext dialect, JobFilter filter) {
    return PageQuery.statement(
        dialect,
        JobSummaries.LIVE,
        query(filter, JobPredicates.RUNNING, List.of(JOBS.CURRENT_EXECUTION_ID)));
  }

  static Statement<PageQuery.Request, PageQuery.Entry> waiting(
      DSLContext dialect, JobFilter filter) {
    return PageQuery.statement(
        dialect,
        JobSummaries.LIVE,
        query(filter, JobPredicates.WAITING, List.of(JOBS.ORDERING_KEY, JOBS.ID)));
  }

  private static ResultQuery<?> query(JobFilter filter, Condition status, List<Field<?>> indexed) {
    return PageQuery.byId()
        .query(
            select(
                    JOBS.ID,
                    field(JOBS.ID.gt(PageQuery.AFTER).and(filter.onLive())).as("matches"),
                    rowNumber().over().orderBy(indexed).cast(Long.class).as("place"))
                .from(JOBS)
                .where(status)
                .orderBy(indexed)
                .limit(inline(ReadBounds.WINDOW)),
            inline((long) ReadBounds.WINDOW),
            JobSummaries.LIVE,
            noCondition(),
            JOBS.ID);
  }
}
