package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.DeadLetterGroup;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.LooseScan;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
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
 * Groups dead jobs by the class of their last error and its message without values.
 *
 * <pre>{@code
 * WITH RECURSIVE dead_group AS (queue and kind of the dead jobs),
 * letters AS (SELECT queue, kind, error_class, error, count(*) AS jobs, sum(count(*)) OVER (PARTITION BY queue, kind) > 10000 AS more,
 *                    max(id) AS example, min(died_at) AS first_died_at, max(died_at) AS last_died_at
 *               FROM dead_group CROSS JOIN LATERAL (
 *                    SELECT queue, kind, id, last_error_class AS error_class, (group of last_error) AS error, died_at
 *                      FROM jobs WHERE status = 'dead' AND queue = dead_group.queue AND kind = dead_group.kind
 *                     ORDER BY queue DESC, kind DESC, id DESC LIMIT 10001) AS seen
 *              GROUP BY queue, kind, error_class, error ORDER BY jobs DESC, queue, kind, error, error_class LIMIT 1000)
 * SELECT letters.* FROM letters ORDER BY ...
 * }</pre>
 *
 * <p>The error is in the row but in no index, so only the newest 10,001 dead jobs of each queue and
 * kind are read. {@link ErrorGroups} explains the message and its cost, and {@link LooseScan} how
 * the queues and kinds are found. Locks nothing.
 */
final class GroupDeadJobsStatement {

  private static final Field<String> QUEUE = field(name("seen", "queue"), String.class);
  private static final Field<String> KIND = field(name("seen", "kind"), String.class);
  private static final Field<String> ERROR_CLASS = field(name("seen", "error_class"), String.class);
  private static final Field<String> ERROR = field(name("seen", "error"), String.class);
  private static final Field<Long> ID = field(name("seen", "id"), Long.class);
  private static final Field<Instant> DIED_AT = field(name("seen", "died_at"), SQLDataType.INSTANT);

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
            ofLetters(ERROR_CLASS),
            ofLetters(ERROR),
            COUNT,
            MORE,
            EXAMPLE,
            FIRST_DIED_AT,
            LAST_DIED_AT)
        .from(letters)
        .orderBy(
            COUNT.desc(),
            ofLetters(QUEUE),
            ofLetters(KIND),
            ofLetters(ERROR),
            ofLetters(ERROR_CLASS));
  }

  private static CommonTableExpression<?> letters() {
    Field<Integer> jobs = count();
    return name("letters")
        .as(
            select(
                    QUEUE,
                    KIND,
                    ERROR_CLASS,
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
                .groupBy(QUEUE, KIND, ERROR_CLASS, ERROR)
                .orderBy(jobs.desc(), QUEUE, KIND, ERROR, ERROR_CLASS)
                .limit(inline(ReadBounds.GROUPS)));
  }

  private static Field<String> ofLetters(Field<String> column) {
    return LooseScan.of("letters", column);
  }

  private static Table<?> seen() {
    return select(
            JOBS.QUEUE,
            JOBS.KIND,
            JOBS.ID,
            JOBS.LAST_ERROR_CLASS.as("error_class"),
            ErrorGroups.of(JOBS.LAST_ERROR).as("error"),
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
