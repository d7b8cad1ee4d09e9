package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.rowNumber;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;

import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.LooseScan;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.SortOrder;
import org.jooq.Table;

/**
 * Lists the pending jobs of a queue by due time.
 *
 * <pre>{@code
 * lane  AS (the priorities of the queue),
 * share AS (SELECT greatest(least(:most, 10000 / count(*)), 1) AS cut FROM lane),
 * seen  AS MATERIALIZED (SELECT due.* FROM lane CROSS JOIN LATERAL (
 *            SELECT scheduled_at AS at, id, <filters> AS matches, row_number() OVER (ORDER BY scheduled_at, id) AS place
 *              FROM jobs WHERE status = 'pending' AND queue = lane.queue AND priority = lane.priority
 *                AND (scheduled_at, id) > (:after_at, :after)
 *             ORDER BY scheduled_at, id LIMIT (SELECT cut FROM share)) AS due)
 * }</pre>
 *
 * <p>{@link PageQuery} and {@link LooseScan} explain the rest. The index is in due order only
 * within a priority, so one range of each priority is read and the ranges are merged. Together they
 * stay within the number of rows that a page may read. Locks nothing.
 */
final class ListDueStatement {

  private static final Field<String> QUEUE = Texts.param("queue");

  private ListDueStatement() {}

  static Statement<PageQuery.Request, PageQuery.Entry> of(DSLContext dialect, JobFilter filter) {
    return PageQuery.statement(dialect, JobSummaries.LIVE, query(filter));
  }

  private static ResultQuery<?> query(JobFilter filter) {
    CommonTableExpression<?> lane = LooseScan.lanes("lane", JOBS.QUEUE.eq(QUEUE));
    CommonTableExpression<?> share = PageQuery.share(lane, noCondition());
    Table<?> due =
        select(
                JOBS.SCHEDULED_AT.as("at"),
                JOBS.ID,
                field(filter.onLive()).as("matches"),
                rowNumber().over().orderBy(JOBS.SCHEDULED_AT, JOBS.ID).cast(Long.class).as("place"))
            .from(JOBS)
            .where(JobPredicates.PENDING)
            .and(JOBS.QUEUE.eq(LooseScan.of("lane", JOBS.QUEUE)))
            .and(JOBS.PRIORITY.eq(LooseScan.of("lane", JOBS.PRIORITY)))
            .and(row(JOBS.SCHEDULED_AT, JOBS.ID).gt(row(PageQuery.AFTER_AT, PageQuery.AFTER)))
            .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
            .limit(PageQuery.cutOf(share))
            .asTable("due");
    return PageQuery.byInstant(SortOrder.ASC)
        .mergedFrom(lane, share)
        .query(
            select(due.fields()).from(table(name("lane"))).crossJoin(lateral(due)),
            PageQuery.cutOf(share),
            JobSummaries.LIVE,
            noCondition(),
            JOBS.SCHEDULED_AT,
            JOBS.ID);
  }
}
