package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.row;
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
 * SELECT queue, kind, id FROM jobs
 *  WHERE status = 'dead' AND (queue, kind, id) > (:after_queue, :after_kind, :after) [AND queue = :queue] [AND kind = :kind]
 *    AND died_at + :age <= clock_timestamp()
 *  ORDER BY queue, kind, id LIMIT :limit
 * }</pre>
 *
 * <p>One text for each combination of the filter, so that each has its own plan. In the order of
 * the index of dead jobs, so that all batches together walk it once; ordered by id alone, each
 * batch would sort what is left. Locks nothing, because whatever is done to the jobs looks at their
 * state again.
 */
final class DeadJobsStatement {

  private static final Param<String> AFTER_QUEUE = param("after_queue", String.class);
  private static final Param<String> AFTER_KIND = param("after_kind", String.class);
  private static final Param<Long> AFTER = param("after", Long.class);
  private static final Param<Long> AGE = param("age", Long.class);
  private static final Param<Long> LIMIT = param("limit", Long.class);
  private static final Param<String> QUEUE = param("queue", String.class);
  private static final Param<String> KIND = param("kind", String.class);

  private DeadJobsStatement() {}

  /** Where a job stands in the walk. */
  record Position(String queue, String kind, JobId job) {

    /** Before every job: no name is empty. */
    static final Position START = new Position("", "", new JobId(1));
  }

  static ResultQuery<?> query(boolean ofQueue, boolean ofKind) {
    Condition filter = DSL.noCondition();
    if (ofQueue) {
      filter = filter.and(JOBS.QUEUE.eq(QUEUE));
    }
    if (ofKind) {
      filter = filter.and(JOBS.KIND.eq(KIND));
    }
    return select(JOBS.QUEUE, JOBS.KIND, JOBS.ID)
        .from(JOBS)
        .where(JobPredicates.DEAD)
        .and(filter)
        .and(row(JOBS.QUEUE, JOBS.KIND, JOBS.ID).gt(row(AFTER_QUEUE, AFTER_KIND, AFTER)))
        .and(DatabaseClock.plusMicros(JOBS.DIED_AT, AGE).le(DatabaseClock.NOW))
        .orderBy(JOBS.QUEUE, JOBS.KIND, JOBS.ID)
        .limit(LIMIT);
  }

  static Arguments arguments(DeadJobs which, Duration age, Position after, int limit) {
    Arguments arguments =
        new Arguments()
            .text("after_queue", after.queue())
            .text("after_kind", after.kind())
            .number("after", after.job().value())
            .number("age", DatabaseClock.micros(age))
            .number("limit", limit);
    which.queue().ifPresent(queue -> arguments.text("queue", queue));
    which.kind().ifPresent(kind -> arguments.text("kind", kind));
    return arguments;
  }

  static Position read(ResultSet row) throws SQLException {
    return new Position(row.getString(1), row.getString(2), new JobId(row.getLong(3)));
  }
}
