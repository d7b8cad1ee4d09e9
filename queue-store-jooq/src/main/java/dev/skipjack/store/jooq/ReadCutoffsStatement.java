package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.select;

import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.Map;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;
import org.jooq.types.DayToSecond;
import org.jooq.types.YearToMonth;
import org.jooq.types.YearToSecond;

/**
 * Reads the instant before which each queue with a retention of its own keeps nothing of what that
 * retention is about, archived jobs or dead ones.
 *
 * <pre>{@code
 * SELECT queue, timezone('UTC', timezone('UTC', clock_timestamp()) - LEAST(:retention, interval '1000 years'))
 *   FROM job_queues WHERE :retention IS NOT NULL
 * }</pre>
 *
 * <p>The retention is a column, one text each. In UTC, because a month or a day before now depends
 * on the zone it is counted in. At most a thousand years, because a queue that keeps everything
 * "for ever" must not make the query fail.
 */
final class ReadCutoffsStatement {

  private static final YearToSecond LONGEST =
      new YearToSecond(new YearToMonth(1000, 0), new DayToSecond());

  private ReadCutoffsStatement() {}

  static ResultQuery<?> query(Field<YearToSecond> retention) {
    Field<LocalDateTime> now =
        function("timezone", LocalDateTime.class, inline("UTC"), DatabaseClock.NOW);
    Field<LocalDateTime> before =
        field("{0} - {1}", SQLDataType.LOCALDATETIME, now, least(retention, inline(LONGEST)));
    return select(
            JOB_QUEUES.QUEUE,
            function("timezone", SQLDataType.INSTANT, inline("UTC"), before).as("cutoff"))
        .from(JOB_QUEUES)
        .where(retention.isNotNull());
  }

  static Map.Entry<String, Instant> read(ResultSet row) throws SQLException {
    return Map.entry(row.getString(1), row.getObject(2, OffsetDateTime.class).toInstant());
  }
}
