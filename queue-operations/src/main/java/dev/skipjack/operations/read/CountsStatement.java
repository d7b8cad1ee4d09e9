package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.LooseScan;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record5;
import org.jooq.ResultQuery;
import org.jooq.Select;
import org.jooq.Table;

/**
 * Counts live jobs by queue, kind and status, up to 10,000 in each range of an index.
 *
 * <pre>{@code
 * WITH RECURSIVE pending_queue AS (the queues with pending jobs), dead_group AS (queue and kind of dead jobs)
 * SELECT queue, kind, 'pending', count(*), sum(count(*)) OVER (PARTITION BY queue) > 10000
 *   FROM pending_queue CROSS JOIN LATERAL (SELECT queue, kind FROM jobs WHERE status = 'pending' AND queue = pending_queue.queue
 *                                           ORDER BY queue, priority, scheduled_at, id LIMIT 10001) AS seen GROUP BY queue, kind
 * UNION ALL  ... the same for each queue and kind of the dead ...
 * UNION ALL SELECT queue, kind, 'running', count(*), sum(count(*)) OVER () > 10000
 *   FROM (SELECT queue, kind FROM jobs WHERE status = 'running' ORDER BY current_execution_id LIMIT 10001) AS seen GROUP BY queue, kind
 * UNION ALL  ... the same for the waiting ...
 * }</pre>
 *
 * <p>It is a single statement and therefore reads one snapshot: a job that is claimed in the
 * meantime is counted once. If the last column is true, the range is too long for an exact count,
 * and {@link CountSampleStatement} estimates its groups.
 *
 * <p>No index contains the kind of a pending job. Kinds are read from the rows, because an index on
 * {@code (status, queue, kind)} would add 170 bytes of WAL per job, 9 % of all WAL of a job. {@link
 * LooseScan} explains how the groups are found. Locks nothing.
 */
final class CountsStatement {

  private static final Field<String> QUEUE = field(name("seen", "queue"), String.class);
  private static final Field<String> KIND = field(name("seen", "kind"), String.class);

  private static final Field<String> STATUS = field(name("counted", "status"), String.class);
  private static final Field<Long> COUNT = field(name("counted", "jobs"), Long.class);
  private static final Field<Boolean> MORE = field(name("counted", "more"), Boolean.class);

  private CountsStatement() {}

  static Statement<NoRequest, JobCount> of(DSLContext dialect) {
    return Statement.of(dialect, query(), CountsStatement::read);
  }

  private static ResultQuery<?> query() {
    CommonTableExpression<?> queues = LooseScan.pendingQueues("pending_queue");
    CommonTableExpression<?> groups = LooseScan.deadGroups("dead_group");
    Table<?> pending =
        seen(
            JobPredicates.PENDING.and(JOBS.QUEUE.eq(LooseScan.of("pending_queue", JOBS.QUEUE))),
            LooseScan.PENDING_ORDER);
    Table<?> dead =
        seen(
            JobPredicates.DEAD
                .and(JOBS.QUEUE.eq(LooseScan.of("dead_group", JOBS.QUEUE)))
                .and(JOBS.KIND.eq(LooseScan.of("dead_group", JOBS.KIND))),
            LooseScan.DEAD_ORDER);
    return withRecursive(queues, groups)
        .select()
        .from(
            counted(
                    JobStatus.PENDING,
                    table(name("pending_queue")).crossJoin(lateral(pending)),
                    sum(count()).over().partitionBy(QUEUE))
                .unionAll(
                    counted(
                        JobStatus.DEAD,
                        table(name("dead_group")).crossJoin(lateral(dead)),
                        sum(count()).over().partitionBy(QUEUE, KIND)))
                .unionAll(
                    counted(
                        JobStatus.RUNNING,
                        seen(JobPredicates.RUNNING, List.of(JOBS.CURRENT_EXECUTION_ID)),
                        sum(count()).over()))
                .unionAll(
                    counted(
                        JobStatus.WAITING,
                        seen(JobPredicates.WAITING, List.of(JOBS.ORDERING_KEY, JOBS.ID)),
                        sum(count()).over()))
                .asTable("counted"));
  }

  private static Select<Record5<String, String, String, Integer, Boolean>> counted(
      JobStatus status, Table<?> seen, Field<BigDecimal> ofRange) {
    return select(
            QUEUE,
            KIND,
            inline(status.literal()).as("status"),
            count().as("jobs"),
            field(ofRange.gt(inline(BigDecimal.valueOf(ReadBounds.EXACT)))).as("more"))
        .from(seen)
        .groupBy(QUEUE, KIND);
  }

  private static Table<?> seen(Condition which, List<Field<?>> order) {
    return select(JOBS.QUEUE, JOBS.KIND)
        .from(JOBS)
        .where(which)
        .orderBy(order)
        .limit(inline(ReadBounds.WINDOW))
        .asTable("seen");
  }

  /** Reads a count, and marks it as estimated if its range was too long for an exact count. */
  private static JobCount read(Row row) throws SQLException {
    return new JobCount(
        row.text(QUEUE),
        row.text(KIND),
        JobStatus.of(row.text(STATUS)),
        row.number(COUNT),
        row.flag(MORE));
  }
}
