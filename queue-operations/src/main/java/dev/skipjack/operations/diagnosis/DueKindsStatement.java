package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.LooseScan;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.PausePredicates;
import dev.skipjack.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * Finds the kinds of the jobs that have been due for the longest time, in queues that are not
 * paused.
 *
 * <pre>{@code
 * WITH RECURSIVE lane AS (all lanes)
 * SELECT due.queue, due.kind, min(due.scheduled_at), now()
 *   FROM lane CROSS JOIN LATERAL (
 *        SELECT queue, kind, scheduled_at FROM jobs
 *         WHERE status = 'pending' AND queue = lane.queue AND priority = lane.priority AND scheduled_at <= now()
 *         ORDER BY scheduled_at, id LIMIT 100) AS due
 *  WHERE NOT EXISTS (SELECT 1 FROM job_queues WHERE queue = lane.queue AND <paused now>)
 *  GROUP BY due.queue, due.kind ORDER BY 3 LIMIT 1000
 * }</pre>
 *
 * <p>Jobs that no worker can run stay at the front of their lane while others overtake them, so the
 * first hundred of each lane show their kinds. {@link LooseScan} explains how the lanes are found.
 * Locks nothing.
 */
final class DueKindsStatement {

  private static final int OF_LANE = 100;
  private static final int MOST = 1_000;

  private static final Field<String> QUEUE = field(name("due", "queue"), String.class);
  private static final Field<String> KIND = field(name("due", "kind"), String.class);

  private DueKindsStatement() {}

  /** A kind with due jobs. */
  record Facts(String queue, String kind, Duration dueFor) {}

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    Field<String> laneQueue = LooseScan.of("lane", JOBS.QUEUE);
    Table<?> due =
        select(JOBS.QUEUE, JOBS.KIND, JOBS.SCHEDULED_AT)
            .from(JOBS)
            .where(JobPredicates.PENDING)
            .and(JOBS.QUEUE.eq(laneQueue))
            .and(JOBS.PRIORITY.eq(LooseScan.of("lane", JOBS.PRIORITY)))
            .and(JOBS.SCHEDULED_AT.le(DatabaseClock.TRANSACTION_START))
            .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
            .limit(inline(OF_LANE))
            .asTable("due");
    Field<Instant> oldest =
        min(field(name("due", "scheduled_at"), SQLDataType.INSTANT)).as("oldest");
    Field<Instant> now = DatabaseClock.TRANSACTION_START.as("now");
    return Statement.of(
        dialect,
        withRecursive(LooseScan.lanes("lane"))
            .select(QUEUE, KIND, oldest, now)
            .from(table(name("lane")))
            .crossJoin(lateral(due))
            .where(
                notExists(
                    selectOne()
                        .from(JOB_QUEUES)
                        .where(JOB_QUEUES.QUEUE.eq(laneQueue))
                        .and(PausePredicates.PAUSED)))
            .groupBy(QUEUE, KIND)
            .orderBy(oldest)
            .limit(inline(MOST)),
        row ->
            new Facts(
                row.text(QUEUE),
                row.text(KIND),
                Duration.between(row.instant(oldest), row.instant(now))));
  }
}
