package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.DeadJobs;
import dev.skipjack.api.JobId;
import dev.skipjack.store.jooq.spi.Arguments;
import dev.skipjack.store.jooq.spi.DatabaseClock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jooq.Condition;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.impl.DSL;

/**
 * The next dead jobs of a filter, for commands that work through them in batches.
 *
 * <pre>{@code
 * SELECT id FROM jobs
 *  WHERE status = 'dead' AND id > :after [AND queue = ANY (:queues)] [AND kind = ANY (:kinds)]
 *    AND died_at <= clock_timestamp() - :age
 *  ORDER BY id LIMIT :limit
 * }</pre>
 *
 * <p>One text for each combination of the filter, so that each has its own plan. Walks dead rows
 * only; locks nothing, because whatever is done to the jobs looks at their state again.
 */
final class DeadJobsStatement {

  private static final Param<Long> AFTER = param("after", Long.class);
  private static final Param<Long> AGE = param("age", Long.class);
  private static final Param<Long> LIMIT = param("limit", Long.class);
  private static final Param<String> QUEUE = param("queue", String.class);
  private static final Param<String> KIND = param("kind", String.class);

  private DeadJobsStatement() {}

  static ResultQuery<?> query(boolean ofQueue, boolean ofKind) {
    Condition filter = DSL.noCondition();
    if (ofQueue) {
      filter = filter.and(JOBS.QUEUE.eq(QUEUE));
    }
    if (ofKind) {
      filter = filter.and(JOBS.KIND.eq(KIND));
    }
    return select(JOBS.ID)
        .from(JOBS)
        .where(JobPredicates.DEAD)
        .and(filter)
        .and(JOBS.ID.gt(AFTER))
        .and(DatabaseClock.plusMicros(JOBS.DIED_AT, AGE).le(DatabaseClock.NOW))
        .orderBy(JOBS.ID)
        .limit(LIMIT);
  }

  static Arguments arguments(DeadJobs which, Duration age, long after, int limit) {
    Arguments arguments =
        new Arguments()
            .number("after", after)
            .number("age", DatabaseClock.micros(age))
            .number("limit", limit);
    which.queue().ifPresent(queue -> arguments.text("queue", queue));
    which.kind().ifPresent(kind -> arguments.text("kind", kind));
    return arguments;
  }

  static JobId read(ResultSet row) throws SQLException {
    return new JobId(row.getLong(1));
  }
}
