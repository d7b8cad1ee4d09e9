package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.rowNumber;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;

import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.LooseScan;
import dev.skipjack.sql.Statement;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.ResultQuery;
import org.jooq.Table;

/**
 * Lists dead jobs by id.
 *
 * <pre>{@code
 * dead_group AS (queue and kind of the dead jobs),
 * share AS (SELECT greatest(least(:most, 10000 / count(*)), 1) AS cut FROM dead_group WHERE <filters>),
 * seen  AS MATERIALIZED (SELECT dead.* FROM dead_group CROSS JOIN LATERAL (
 *            SELECT id, <filters> AS matches, row_number() OVER (ORDER BY id) AS place
 *              FROM jobs WHERE status = 'dead' AND queue = dead_group.queue AND kind = dead_group.kind AND id > :after
 *             ORDER BY id LIMIT (SELECT cut FROM share)) AS dead
 *          WHERE <filters>)
 * }</pre>
 *
 * <p>{@link PageQuery} and {@link LooseScan} explain the rest. The index is in id order only within
 * a queue and kind, so one range of each is read and the ranges are merged. A filter by queue or
 * kind excludes groups instead of rows. Locks nothing.
 */
final class ListDeadStatement {

  private ListDeadStatement() {}

  static Statement<PageQuery.Request, PageQuery.Entry> of(DSLContext dialect, JobFilter filter) {
    return PageQuery.statement(dialect, JobSummaries.LIVE, query(filter));
  }

  private static ResultQuery<?> query(JobFilter filter) {
    CommonTableExpression<?> groups = LooseScan.deadGroups("dead_group");
    Condition wanted =
        JobFilter.queueAndKind(
            LooseScan.of("dead_group", JOBS.QUEUE), LooseScan.of("dead_group", JOBS.KIND));
    CommonTableExpression<?> share = PageQuery.share(groups, wanted);
    Table<?> dead =
        select(
                JOBS.ID,
                field(filter.onLive()).as("matches"),
                rowNumber().over().orderBy(JOBS.ID).cast(Long.class).as("place"))
            .from(JOBS)
            .where(JobPredicates.DEAD)
            .and(JOBS.QUEUE.eq(LooseScan.of("dead_group", JOBS.QUEUE)))
            .and(JOBS.KIND.eq(LooseScan.of("dead_group", JOBS.KIND)))
            .and(JOBS.ID.gt(PageQuery.AFTER))
            .orderBy(JOBS.ID)
            .limit(PageQuery.cutOf(share))
            .asTable("dead");
    return PageQuery.byId()
        .mergedFrom(groups, share)
        .query(
            select(dead.fields())
                .from(table(name("dead_group")))
                .crossJoin(lateral(dead))
                .where(wanted),
            PageQuery.cutOf(share),
            JobSummaries.LIVE,
            noCondition(),
            JOBS.ID);
  }
}
