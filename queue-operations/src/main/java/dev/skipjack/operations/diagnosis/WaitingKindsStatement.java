package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
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
 * Finds the kinds of the jobs that wait for their ordering key, in queues that are not paused.
 *
 * <pre>{@code
 * SELECT waiting.queue, waiting.kind, min(waiting.scheduled_at), now()
 *   FROM (SELECT queue, kind, scheduled_at FROM jobs WHERE status = 'waiting'
 *          ORDER BY ordering_key, coalesce(ordering_position, id) LIMIT 10001) AS waiting
 *  WHERE scheduled_at <= now() AND NOT EXISTS (SELECT 1 FROM job_queues WHERE queue = waiting.queue AND <paused now>)
 *  GROUP BY waiting.queue, waiting.kind ORDER BY 3 LIMIT 1000
 * }</pre>
 *
 * <p>Locks nothing.
 */
final class WaitingKindsStatement {

  private static final int WINDOW = 10_001;
  private static final int MOST = 1_000;

  private static final Field<String> QUEUE = field(name("waiting", "queue"), String.class);
  private static final Field<String> KIND = field(name("waiting", "kind"), String.class);

  private WaitingKindsStatement() {}

  static Statement<NoRequest, DueKindsStatement.Facts> of(DSLContext dialect) {
    Table<?> waiting =
        select(JOBS.QUEUE, JOBS.KIND, JOBS.SCHEDULED_AT)
            .from(JOBS)
            .where(JobPredicates.WAITING)
            .orderBy(JOBS.ORDERING_KEY, coalesce(JOBS.ORDERING_POSITION, JOBS.ID))
            .limit(inline(WINDOW))
            .asTable("waiting");
    Field<Instant> scheduledAt = field(name("waiting", "scheduled_at"), SQLDataType.INSTANT);
    Field<Instant> oldest = min(scheduledAt).as("oldest");
    Field<Instant> now = DatabaseClock.TRANSACTION_START.as("now");
    return Statement.of(
        dialect,
        select(QUEUE, KIND, oldest, now)
            .from(waiting)
            .where(scheduledAt.le(DatabaseClock.TRANSACTION_START))
            .and(
                notExists(
                    selectOne()
                        .from(JOB_QUEUES)
                        .where(JOB_QUEUES.QUEUE.eq(QUEUE))
                        .and(PausePredicates.PAUSED)))
            .groupBy(QUEUE, KIND)
            .orderBy(oldest)
            .limit(inline(MOST)),
        row ->
            new DueKindsStatement.Facts(
                row.text(QUEUE),
                row.text(KIND),
                Duration.between(row.instant(oldest), row.instant(now))));
  }
}
