package dev.skipjack.store.jooq.internal.read;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.api.PendingAge;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.NoRequest;
import dev.skipjack.store.jooq.internal.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/**
 * The oldest pending job of each queue.
 *
 * <pre>{@code
 * WITH RECURSIVE lane (queue, priority, scheduled_at) AS (the first entry of each lane)
 * SELECT queue, min(scheduled_at), clock_timestamp() - min(scheduled_at) in microseconds FROM lane GROUP BY queue ORDER BY queue
 * }</pre>
 *
 * <p>The first entry of a lane is its oldest job, so {@link LooseScan} finds all there is to know
 * while it looks for the lanes, and never leaves the index. The database subtracts, because the
 * clock of this machine has no part in it. Locks nothing.
 */
final class OldestPendingStatement {

  private OldestPendingStatement() {}

  static Statement<NoRequest, PendingAge> of(DSLContext dialect) {
    CommonTableExpression<?> lane = LooseScan.lanes("lane");
    Field<String> queue = LooseScan.of("lane", JOBS.QUEUE);
    Field<Instant> oldest = min(LooseScan.of("lane", JOBS.SCHEDULED_AT));
    Field<Long> micros =
        field(
            "(extract(epoch from {0} - {1}) * 1000000)::bigint",
            SQLDataType.BIGINT, DatabaseClock.NOW, oldest);
    return Statement.of(
        dialect,
        withRecursive(lane).select(queue, oldest, micros).from(lane).groupBy(queue).orderBy(queue),
        row ->
            new PendingAge(
                row.text(queue),
                row.instant(oldest),
                Duration.of(Math.max(0, row.number(micros)), ChronoUnit.MICROS)));
  }
}
