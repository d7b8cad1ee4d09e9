package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Counts the dead jobs.
 *
 * <pre>{@code
 * SELECT count(*), min(died_at), max(died_at), now()
 *   FROM (SELECT died_at FROM jobs WHERE status = 'dead' ORDER BY queue, kind, id LIMIT 10001) AS dead
 * }</pre>
 *
 * <p>Locks nothing.
 */
final class DeadJobFactsStatement {

  /** The bound of the count. A count of this size means that there may be more. */
  static final int WINDOW = 10_001;

  private DeadJobFactsStatement() {}

  /**
   * The dead jobs.
   *
   * @param sinceFirst how long ago the first of them died; null if no time is stored
   * @param sinceLast how long ago the last of them died; null if no time is stored
   */
  record Facts(int jobs, @Nullable Duration sinceFirst, @Nullable Duration sinceLast) {}

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    Table<?> dead =
        select(JOBS.DIED_AT)
            .from(JOBS)
            .where(JobPredicates.DEAD)
            .orderBy(JOBS.QUEUE, JOBS.KIND, JOBS.ID)
            .limit(inline(WINDOW))
            .asTable("dead");
    Field<Instant> diedAt = field(name("dead", JOBS.DIED_AT.getName()), SQLDataType.INSTANT);
    Field<Integer> jobs = count().as("jobs");
    Field<Instant> first = min(diedAt).as("first");
    Field<Instant> last = max(diedAt).as("last");
    Field<Instant> now = DatabaseClock.TRANSACTION_START.as("now");
    return Statement.of(
        dialect,
        select(jobs, first, last, now).from(dead),
        row -> new Facts(row.integer(jobs), since(row, first, now), since(row, last, now)));
  }

  private static @Nullable Duration since(Row row, Field<Instant> died, Field<Instant> now)
      throws SQLException {
    Instant at = row.instantOrNull(died);
    return at == null ? null : Duration.between(at, row.instant(now));
  }
}
