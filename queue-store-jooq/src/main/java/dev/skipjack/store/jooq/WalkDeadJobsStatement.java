package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.time.Duration;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;

/**
 * Reads the next dead jobs and whether each matches a filter, for commands that process all matches
 * in batches.
 *
 * <pre>{@code
 * WITH page AS MATERIALIZED (SELECT queue, kind, id, died_at FROM jobs
 *                             WHERE status = 'dead' AND (queue, kind, id) > (:after_queue, :after_kind, :after) [AND queue <= :queue]
 *                             ORDER BY queue, kind, id LIMIT :limit)
 * SELECT queue, kind, id, died_at + :age <= clock_timestamp() [AND kind = :kind] FROM page ORDER BY queue, kind, id
 * }</pre>
 *
 * <p>Each combination of filters has its own text and therefore its own plan. Jobs are read in the
 * order of the index of dead jobs, so that all batches together read it once. A filter by queue is
 * the start of the walk and an upper bound: with {@code queue = :queue}, each batch would begin at
 * the queue's first job again. Conditions that no index covers are checked outside the page, so a
 * batch never reads more rows than the limit. Locks nothing, because every command checks the state
 * of the jobs again.
 */
final class WalkDeadJobsStatement {

  private static final Field<String> AFTER_QUEUE = Texts.param("after_queue");
  private static final Field<String> AFTER_KIND = Texts.param("after_kind");
  private static final Param<Long> AFTER = param("after", Long.class);
  private static final Param<Long> AGE = param("age", Long.class);
  private static final Param<Long> LIMIT = param("limit", Long.class);
  private static final Field<String> QUEUE = Texts.param("queue");
  private static final Field<String> KIND = Texts.param("kind");

  private WalkDeadJobsStatement() {}

  /**
   * The position of a job in the walk.
   *
   * @param fits whether the job matches the filter
   */
  record WalkPosition(String queue, String kind, JobId job, boolean fits) {

    /**
     * Returns the position before the first job that matches. Its kind is empty, so it precedes
     * every job of its queue.
     */
    static WalkPosition before(DeadJobs which) {
      return new WalkPosition(which.queue().orElse(""), "", new JobId(1), false);
    }
  }

  /**
   * A request for the next page of the walk.
   *
   * @param which selects the jobs
   * @param age how long the jobs must have been dead
   * @param after the position of the last job on the previous page
   */
  record Request(DeadJobs which, Duration age, WalkPosition after, int limit) {}

  /**
   * Creates the statement for requests with a queue, a kind, both or neither.
   *
   * @param ofQueue whether the filter of the requests names a queue
   * @param ofKind whether the filter names a kind
   */
  static Statement<Request, WalkPosition> of(DSLContext dialect, boolean ofQueue, boolean ofKind) {
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
        column(JOBS.DIED_AT)
            .le(DatabaseClock.minusMicros(DatabaseClock.NOW, AGE))
            .and(ofKind ? kind.eq(KIND) : noCondition());
    Field<Boolean> isMatch = field(fits);
    return Statement.of(
        dialect,
        with(page).select(queue, kind, id, isMatch).from(page).orderBy(queue, kind, id),
        WalkDeadJobsStatement::arguments,
        row ->
            new WalkPosition(
                row.text(queue), row.text(kind), new JobId(row.number(id)), row.isTrue(isMatch)));
  }

  private static <T> Field<T> column(Field<T> field) {
    return field(name("page", field.getName()), field.getDataType());
  }

  private static Arguments arguments(Request request) {
    WalkPosition after = request.after();
    Arguments arguments =
        new Arguments()
            .text("after_queue", after.queue())
            .text("after_kind", after.kind())
            .number("after", after.job().value())
            .number("age", DatabaseClock.micros(request.age()))
            .number("limit", request.limit());
    request.which().queue().ifPresent(queue -> arguments.text("queue", queue));
    request.which().kind().ifPresent(kind -> arguments.text("kind", kind));
    return arguments;
  }
}
