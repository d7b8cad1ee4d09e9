package dev.skipjack.store.jooq.internal.history;

import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Map;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;
import org.jooq.types.DayToSecond;
import org.jooq.types.YearToMonth;
import org.jooq.types.YearToSecond;

/**
 * Reads the cutoff of each queue that has its own retention. The queue's archived jobs that ended,
 * or its dead jobs that died, before the cutoff are deleted.
 *
 * <pre>{@code
 * SELECT queue, timezone('UTC', timezone('UTC', clock_timestamp()) - LEAST(:retention, interval '1000 years'))
 *   FROM job_queues WHERE :retention IS NOT NULL
 * }</pre>
 *
 * <p>Each of the two retentions is a column and has its own statement. The cutoff is computed in
 * UTC, because the length of a day depends on the time zone. A retention of more than a thousand
 * years counts as a thousand years, so that the subtraction does not fail.
 */
final class ReadCutoffsStatement {

  private static final YearToSecond LONGEST =
      new YearToSecond(new YearToMonth(1000, 0), new DayToSecond());

  private static final Field<Instant> CUTOFF = field(name("cutoff"), SQLDataType.INSTANT);

  private ReadCutoffsStatement() {}

  /** Creates the statement that reads the cutoffs of archived jobs, by queue. */
  static Statement<NoRequest, Map.Entry<String, Instant>> ofArchive(DSLContext dialect) {
    return of(dialect, JOB_QUEUES.ARCHIVE_RETENTION);
  }

  /** Creates the statement that reads the cutoffs of dead jobs, by queue. */
  static Statement<NoRequest, Map.Entry<String, Instant>> ofDeadJobs(DSLContext dialect) {
    return of(dialect, JOB_QUEUES.DEAD_RETENTION);
  }

  private static Statement<NoRequest, Map.Entry<String, Instant>> of(
      DSLContext dialect, Field<YearToSecond> retention) {
    return Statement.of(
        dialect,
        query(retention),
        row -> Map.entry(row.text(JOB_QUEUES.QUEUE), row.instant(CUTOFF)));
  }

  private static ResultQuery<?> query(Field<YearToSecond> retention) {
    Field<LocalDateTime> now =
        function("timezone", LocalDateTime.class, inline("UTC"), DatabaseClock.NOW);
    Field<LocalDateTime> before =
        field("{0} - {1}", SQLDataType.LOCALDATETIME, now, least(retention, inline(LONGEST)));
    return select(
            JOB_QUEUES.QUEUE,
            function("timezone", SQLDataType.INSTANT, inline("UTC"), before).as(CUTOFF))
        .from(JOB_QUEUES)
        .where(retention.isNotNull());
  }
}
