package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.rowNumber;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.ResultQuery;

/**
 * Lists live jobs by id.
 *
 * <pre>{@code
 * seen AS MATERIALIZED (SELECT id, <filters> AS matches, row_number() OVER (ORDER BY id) AS place
 *                         FROM jobs WHERE id > :after ORDER BY id LIMIT :most)
 * }</pre>
 *
 * <p>{@link PageQuery} explains the rest. The statement reads the primary key regardless of the
 * filters, and each page reads at most {@code :most} jobs. The id of a job never changes, so each
 * job is listed once. Locks nothing.
 */
final class ListLiveStatement {

  private ListLiveStatement() {}

  static Statement<PageQuery.Request, PageQuery.Entry> of(DSLContext dialect, JobFilter filter) {
    return PageQuery.statement(dialect, JobSummaries.LIVE, query(filter));
  }

  private static ResultQuery<?> query(JobFilter filter) {
    return PageQuery.byId()
        .query(
            select(
                    JOBS.ID,
                    field(filter.onLive()).as("matches"),
                    rowNumber().over().orderBy(JOBS.ID).cast(Long.class).as("place"))
                .from(JOBS)
                .where(JOBS.ID.gt(PageQuery.AFTER))
                .orderBy(JOBS.ID)
                .limit(PageQuery.MOST),
            PageQuery.MOST,
            JobSummaries.LIVE,
            noCondition(),
            JOBS.ID);
  }
}
