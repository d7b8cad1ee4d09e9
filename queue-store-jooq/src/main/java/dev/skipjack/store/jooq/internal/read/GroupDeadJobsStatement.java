package dev.skipjack.store.jooq.internal.read;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.left;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.splitPart;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.api.DeadLetterGroup;
import dev.skipjack.api.JobId;
import dev.skipjack.store.jooq.internal.sql.JobPredicates;
import dev.skipjack.store.jooq.internal.sql.LooseScan;
import dev.skipjack.store.jooq.internal.sql.NoRequest;
import dev.skipjack.store.jooq.internal.sql.Row;
import dev.skipjack.store.jooq.internal.sql.Statement;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Instant;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * Groups dead jobs by the first line of their error.
 *
 * <pre>{@code
 * WITH RECURSIVE dead_group AS (queue and kind of the dead jobs),
 * letters AS (SELECT queue, kind, error, count(*) AS jobs, sum(count(*)) OVER (PARTITION BY queue, kind) > 10000 AS more,
 *                    max(id) AS example, min(died_at) AS first_died_at, max(died_at) AS last_died_at
 *               FROM dead_group CROSS JOIN LATERAL (
 *                    SELECT queue, kind, id, split_part(left(last_error, 200), newline, 1) AS error, died_at
 *                      FROM jobs WHERE status = 'dead' AND queue = dead_group.queue AND kind = dead_group.kind
 *                     ORDER BY queue DESC, kind DESC, id DESC LIMIT 10001) AS seen
 *              GROUP BY queue, kind, error ORDER BY jobs DESC, queue, kind, error LIMIT 1000)
 * SELECT letters.*, (SELECT error_class FROM jobs JOIN job_executions ON job_id = jobs.id AND started_at = jobs.started_at
 *                     WHERE jobs.id = letters.example LIMIT 1)
 *   FROM letters ORDER BY ...
 * }</pre>
 *
 * <p>The error is in the row but in no index, so only the newest 10,001 dead jobs of each queue and
 * kind are read. The error class is that of one example from each group. Two probes find it; the
 * second reads only one partition, because the job's row contains the start of its last attempt.
 * {@link LooseScan} explains how the groups are found. Locks nothing.
 */
final class GroupDeadJobsStatement {

  /** The number of characters of an error that are compared and shown. */
  private static final int LONGEST_ERROR = 200;

  private static final Field<String> QUEUE = field(name("seen", "queue"), String.class);
  private static final Field<String> KIND = field(name("seen", "kind"), String.class);
  private static final Field<String> ERROR = field(name("seen", "error"), String.class);
  private static final Field<Long> ID = field(name("seen", "id"), Long.class);
  private static final Field<Instant> DIED_AT = field(name("seen", "died_at"), SQLDataType.INSTANT);

  private static final Field<String> ERROR_CLASS =
      field(
              select(JOB_EXECUTIONS.ERROR_CLASS)
                  .from(JOBS)
                  .join(JOB_EXECUTIONS)
                  .on(JOB_EXECUTIONS.JOB_ID.eq(JOBS.ID))
                  .and(JOB_EXECUTIONS.STARTED_AT.eq(JOBS.STARTED_AT))
                  .where(JOBS.ID.eq(field(name("letters", "example"), Long.class)))
                  .limit(inline(1)))
          .as("error_class");
  private static final Field<Long> COUNT = field(name("letters", "jobs"), Long.class);
  private static final Field<Boolean> MORE = field(name("letters", "more"), Boolean.class);
  private static final Field<Long> EXAMPLE = field(name("letters", "example"), Long.class);
  private static final Field<Instant> FIRST_DIED_AT =
      field(name("letters", "first_died_at"), SQLDataType.INSTANT);
  private static final Field<Instant> LAST_DIED_AT =
      field(name("letters", "last_died_at"), SQLDataType.INSTANT);

  private GroupDeadJobsStatement() {}

  static Statement<NoRequest, DeadLetterGroup> of(DSLContext dialect) {
    return Statement.of(dialect, query(), GroupDeadJobsStatement::read);
  }

  private static ResultQuery<?> query() {
    CommonTableExpression<?> groups = LooseScan.deadGroups("dead_group");
    CommonTableExpression<?> letters = letters();
    return withRecursive(groups, letters)
        .select(
            ofLetters(QUEUE),
            ofLetters(KIND),
            ofLetters(ERROR),
            ERROR_CLASS,
            COUNT,
            MORE,
            EXAMPLE,
            FIRST_DIED_AT,
            LAST_DIED_AT)
        .from(letters)
        .orderBy(COUNT.desc(), ofLetters(QUEUE), ofLetters(KIND), ofLetters(ERROR));
  }

  private static CommonTableExpression<?> letters() {
    Field<Integer> jobs = count();
    return name("letters")
        .as(
            select(
                    QUEUE,
                    KIND,
                    ERROR,
                    jobs.as(COUNT),
                    field(
                            sum(jobs)
                                .over()
                                .partitionBy(QUEUE, KIND)
                                .gt(inline(BigDecimal.valueOf(ReadBounds.EXACT))))
                        .as(MORE),
                    max(ID).as(EXAMPLE),
                    min(DIED_AT).as(FIRST_DIED_AT),
                    max(DIED_AT).as(LAST_DIED_AT))
                .from(table(name("dead_group")))
                .crossJoin(lateral(seen()))
                .groupBy(QUEUE, KIND, ERROR)
                .orderBy(jobs.desc(), QUEUE, KIND, ERROR)
                .limit(inline(ReadBounds.GROUPS)));
  }

  private static Field<String> ofLetters(Field<String> column) {
    return LooseScan.of("letters", column);
  }

  private static Table<?> seen() {
    Field<String> firstLine =
        splitPart(
            left(coalesce(JOBS.LAST_ERROR, inline("")), inline(LONGEST_ERROR)),
            inline("\n"),
            inline(1));
    return select(
            JOBS.QUEUE,
            JOBS.KIND,
            JOBS.ID,
            firstLine.as("error"),
            coalesce(JOBS.DIED_AT, JOBS.UPDATED_AT).as("died_at"))
        .from(JOBS)
        .where(JobPredicates.DEAD)
        .and(JOBS.QUEUE.eq(LooseScan.of("dead_group", JOBS.QUEUE)))
        .and(JOBS.KIND.eq(LooseScan.of("dead_group", JOBS.KIND)))
        .orderBy(JOBS.QUEUE.desc(), JOBS.KIND.desc(), JOBS.ID.desc())
        .limit(inline(ReadBounds.WINDOW))
        .asTable("seen");
  }

  private static DeadLetterGroup read(Row row) throws SQLException {
    return new DeadLetterGroup(
        row.text(QUEUE),
        row.text(KIND),
        row.text(ERROR),
        row.textOrNull(ERROR_CLASS),
        row.number(COUNT),
        row.flag(MORE),
        new JobId(row.number(EXAMPLE)),
        row.instant(FIRST_DIED_AT),
        row.instant(LAST_DIED_AT));
  }
}
