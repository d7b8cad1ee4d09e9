package dev.skipjack.steps.internal;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_STEPS;
import static dev.skipjack.model.Tables.JOB_WAITS;
import static dev.skipjack.sql.Existence.exists;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.arrayAggDistinct;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.impl.SQLDataType;

/**
 * Walks through memos, or through waits, and finds those whose job has ended.
 *
 * <pre>{@code
 * SELECT count(*), max(walked.job_id), array_agg(DISTINCT walked.job_id) FILTER (WHERE (the job has ended))
 *   FROM (SELECT job_id FROM job_steps WHERE job_id > :after ORDER BY job_id LIMIT 1000) AS walked
 * }</pre>
 *
 * <p>A job has ended if it is not in {@code jobs}, or is dead and has memos to undo, or a wait. The
 * statement that ended it has usually ended its steps too, but not if a worker did not know of
 * them, for instance because it rescued the job, or an operator cancelled it. A walk begins again
 * when it has reached the end, so the cost of a sweep does not depend on the number of memos. With
 * the status instead of {@code died_at}, the planner could read the index of dead jobs.
 *
 * <p>Locks nothing.
 */
final class FindEndedStepsStatement {

  /** The number of rows that a sweep reads. */
  static final int WINDOW = 1_000;

  private static final Param<Long> AFTER = param("after", Long.class);
  private static final Field<Long> JOB = field(name("walked", "job_id"), Long.class);
  private static final Field<Integer> ROWS = count().as("rows");
  private static final Field<Long> LAST = max(JOB).as("last");

  private FindEndedStepsStatement() {}

  /**
   * A part of a walk.
   *
   * @param isFull whether there may be more rows behind it
   * @param last the last job; empty if there were no rows
   * @param ended the jobs that have ended
   */
  record Part(boolean isFull, OptionalLong last, List<Long> ended) {}

  /** Creates the statement that walks through memos. */
  static Statement<Long, Part> ofMemos(DSLContext dialect) {
    return of(
        dialect,
        JOB_STEPS,
        JOB_STEPS.JOB_ID,
        exists(
            selectOne()
                .from(JOB_STEPS)
                .where(JOB_STEPS.JOB_ID.eq(JOB))
                .and(JOB_STEPS.UNDO_KIND.isNotNull())
                .and(JOB_STEPS.TYPE.eq(inline("run", JOB_STEPS.TYPE)))));
  }

  /** Creates the statement that walks through waits. */
  static Statement<Long, Part> ofWaits(DSLContext dialect) {
    return of(dialect, JOB_WAITS, JOB_WAITS.JOB_ID, inline(true).isTrue());
  }

  private static Statement<Long, Part> of(
      DSLContext dialect, Table<?> table, TableField<?, Long> job, Condition endsWhenDead) {
    Condition isGone = notExists(selectOne().from(JOBS).where(JOBS.ID.eq(JOB)));
    Condition isDead =
        exists(selectOne().from(JOBS).where(JOBS.ID.eq(JOB)).and(JOBS.DIED_AT.isNotNull()));
    Field<String[]> ended =
        cast(
                arrayAggDistinct(JOB).filterWhere(isGone.or(isDead.and(endsWhenDead))),
                SQLDataType.CLOB.getArrayDataType())
            .as("ended");
    return Statement.of(
        dialect,
        select(ROWS, LAST, ended)
            .from(
                select(job.as("job_id"))
                    .from(table)
                    .where(job.gt(AFTER))
                    .orderBy(job)
                    .limit(inline(WINDOW))
                    .asTable("walked")),
        after -> new Arguments().number("after", after),
        row -> read(row, ended));
  }

  private static Part read(Row row, Field<String[]> ended) throws SQLException {
    Long last = row.numberOrNull(LAST);
    return new Part(
        row.integer(ROWS) == WINDOW,
        last == null ? OptionalLong.empty() : OptionalLong.of(last),
        row.textsWithoutNull(ended).stream().map(Long::valueOf).toList());
  }
}
