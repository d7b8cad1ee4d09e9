package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.api.operations.PendingAge;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.LooseScan;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;

/**
 * Finds the oldest pending job of each queue.
 *
 * <pre>{@code
 * WITH RECURSIVE lane (queue, priority, scheduled_at) AS (the first entry of each lane)
 * SELECT queue, min(scheduled_at), clock_timestamp() - min(scheduled_at) in microseconds FROM lane GROUP BY queue ORDER BY queue
 * }</pre>
 *
 * <p>The first entry of a lane is its oldest job, so the {@link LooseScan} that finds the lanes
 * finds these jobs too, and reads only the index. The database computes the age, so the clock of
 * this machine does not matter. Locks nothing.
 */
final class OldestPendingStatement {

  private static final Field<String> QUEUE = LooseScan.of("lane", JOBS.QUEUE);
  private static final Field<Instant> OLDEST = min(LooseScan.of("lane", JOBS.SCHEDULED_AT));
  private static final Field<Long> AGE_MICROS =
      field(
          "(extract(epoch from {0} - {1}) * 1000000)::bigint",
          SQLDataType.BIGINT, DatabaseClock.NOW, OLDEST);

  private OldestPendingStatement() {}

  static Statement<NoRequest, PendingAge> of(DSLContext dialect) {
    return Statement.of(dialect, query(), OldestPendingStatement::read);
  }

  private static ResultQuery<?> query() {
    CommonTableExpression<?> lane = LooseScan.lanes("lane");
    return withRecursive(lane)
        .select(QUEUE, OLDEST, AGE_MICROS)
        .from(lane)
        .groupBy(QUEUE)
        .orderBy(QUEUE);
  }

  private static PendingAge read(Row row) throws SQLException {
    return new PendingAge(
        row.text(QUEUE),
        row.instant(OLDEST),
        Duration.of(Math.max(0, row.number(AGE_MICROS)), ChronoUnit.MICROS));
  }
}
