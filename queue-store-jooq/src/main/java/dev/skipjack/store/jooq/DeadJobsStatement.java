package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.DeadJobs;
import dev.skipjack.api.JobId;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.JobPredicates;
import dev.skipjack.store.jooq.internal.sql.Texts;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;

/**
 * The next dead jobs of a filter, for commands that work through them in batches.
 *
 * <pre>{@code
 * WITH page AS MATERIALIZED (SELECT queue, kind, id, died_at FROM jobs
 *                             WHERE status = 'dead' AND (queue, kind, id) > (:after_queue, :after_kind, :after) [AND queue <= :queue]
 *                             ORDER BY queue, kind, id LIMIT :limit)
 * SELECT queue, kind, id, died_at + :age <= clock_timestamp() [AND kind = :kind] FROM page ORDER BY queue, kind, id
 * }</pre>
 *
 * <p>One text for each combination of the filter, so that each has its own plan. In the order of
 * the index of dead jobs, so that all batches together walk it once; ordered by id alone, each
 * batch would sort what is left. A queue is a bound from above, and the walk begins at it: beside
 * {@code queue = :queue} each batch would begin at the queue's first job. What no index knows is
 * looked at outside the page: a batch reads no more rows than it was told to, whatever it finds,
 * and no timeout can stop the walk. Locks nothing, because whatever is done to the jobs looks at
 * their state again.
 */
final class DeadJobsStatement {

  private static final Field<String> AFTER_QUEUE = Texts.param("after_queue");
  private static final Field<String> AFTER_KIND = Texts.param("after_kind");
  private static final Param<Long> AFTER = param("after", Long.class);
  private static final Param<Long> AGE = param("age", Long.class);
  private static final Param<Long> LIMIT = param("limit", Long.class);
  private static final Field<String> QUEUE = Texts.param("queue");
  private static final Field<String> KIND = Texts.param("kind");

  private DeadJobsStatement() {}

  /**
   * Where a job stands in the walk.
   *
   * @param fits whether the filter means it
   */
  record Position(String queue, String kind, JobId job, boolean fits) {

    /** Before every job that is meant: no kind is empty. */
    static Position before(DeadJobs which) {
      return new Position(which.queue().orElse(""), "", new JobId(1), false);
    }
  }

  static ResultQuery<?> query(boolean ofQueue, boolean ofKind) {
    Condition inPage = ofQueue ? JOBS.QUEUE.le(QUEUE) : noCondition();
    CommonTableExpression<?> page =
        name("page")
            .asMaterialized(
                select(JOBS.QUEUE, JOBS.KIND, JOBS.ID, JOBS.DIED_AT)
                    .from(JOBS)
                    .where(JobPredicates.DEAD)
                    .and(inPage)
                    .and(
                        row(JOBS.QUEUE, JOBS.KIND, JOBS.ID).gt(row(AFTER_QUEUE, AFTER_KIND, AFTER)))
                    .orderBy(JOBS.QUEUE, JOBS.KIND, JOBS.ID)
                    .limit(LIMIT));
    Field<String> queue = column(JOBS.QUEUE);
    Field<String> kind = column(JOBS.KIND);
    Field<Long> id = column(JOBS.ID);
    Condition fits =
        DatabaseClock.plusMicros(column(JOBS.DIED_AT), AGE)
            .le(DatabaseClock.NOW)
            .and(ofKind ? kind.eq(KIND) : noCondition());
    return with(page).select(queue, kind, id, field(fits)).from(page).orderBy(queue, kind, id);
  }

  private static <T> Field<T> column(Field<T> field) {
    return field(name("page", field.getName()), field.getDataType());
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
    return new Position(
        row.getString(1), row.getString(2), new JobId(row.getLong(3)), row.getBoolean(4));
  }
}
