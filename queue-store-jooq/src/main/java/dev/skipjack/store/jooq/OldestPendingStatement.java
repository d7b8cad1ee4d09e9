package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.api.PendingAge;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jooq.CommonTableExpression;
import org.jooq.Field;
import org.jooq.ResultQuery;
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

  static ResultQuery<?> query() {
    CommonTableExpression<?> lane = LooseScan.lanes("lane");
    Field<String> queue = LooseScan.of("lane", JOBS.QUEUE);
    Field<Instant> oldest = min(LooseScan.of("lane", JOBS.SCHEDULED_AT));
    return withRecursive(lane)
        .select(
            queue,
            oldest,
            field(
                "(extract(epoch from {0} - {1}) * 1000000)::bigint",
                SQLDataType.BIGINT, DatabaseClock.NOW, oldest))
        .from(lane)
        .groupBy(queue)
        .orderBy(queue);
  }

  static PendingAge read(ResultSet row) throws SQLException {
    return new PendingAge(
        row.getString(1),
        Columns.requireInstant(row, 2),
        Duration.of(Math.max(0, row.getLong(3)), ChronoUnit.MICROS));
  }
}
