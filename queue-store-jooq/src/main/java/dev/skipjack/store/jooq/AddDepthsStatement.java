package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_DEPTHS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectDistinct;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.with;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.time.Instant;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * Writes how many live jobs the queues have in this minute.
 *
 * <pre>{@code
 * WITH added AS (INSERT INTO job_depths (minute, queue, pending, running, waiting, dead)
 *                SELECT date_trunc('minute', clock_timestamp()), coalesce(given.queue, before.queue), coalesce(given.pending, 0), ...
 *                  FROM unnest(:queues, :pending, ...) AS given
 *                  FULL JOIN (SELECT DISTINCT queue FROM job_depths WHERE minute >= clock_timestamp() - interval '2 minutes'
 *                                AND pending + running + waiting + dead > 0) AS before ON before.queue = given.queue
 *                ON CONFLICT DO NOTHING RETURNING queue)
 * SELECT count(*) FROM added
 * }</pre>
 *
 * <p>A queue that had jobs a minute ago and has none now gets a row with zeros, so that its line in
 * a chart ends at zero. If two workers count in the same minute, the second one waits until the
 * first one has committed, and adds nothing.
 */
final class AddDepthsStatement {

  /** The numbers of a queue. */
  record Depth(String queue, long pending, long running, long waiting, long dead) {}

  private static final Field<Integer> ADDED = count();
  private static final Field<String> BEFORE = field(name("before", "queue"), String.class);

  private AddDepthsStatement() {}

  /** Creates the statement, which returns the number of added rows. */
  static Statement<List<Depth>, Integer> of(DSLContext dialect) {
    CommonTableExpression<?> added = added();
    return Statement.of(
        dialect,
        with(added).select(ADDED).from(table(name("added"))),
        AddDepthsStatement::arguments,
        row -> row.integer(ADDED));
  }

  private static CommonTableExpression<?> added() {
    ArrayRows given =
        ArrayRows.named("given")
            .column("queue", Texts.array("queues"))
            .column("pending", numbers("pending"))
            .column("running", numbers("running"))
            .column("waiting", numbers("waiting"))
            .column("dead", numbers("dead"));
    Field<String> queue = given.field("queue", String.class);
    return name("added")
        .as(
            insertInto(
                    JOB_DEPTHS,
                    JOB_DEPTHS.MINUTE,
                    JOB_DEPTHS.QUEUE,
                    JOB_DEPTHS.PENDING,
                    JOB_DEPTHS.RUNNING,
                    JOB_DEPTHS.WAITING,
                    JOB_DEPTHS.DEAD)
                .select(
                    select(
                            DatabaseClock.minuteOf(DatabaseClock.NOW),
                            coalesce(queue, BEFORE),
                            orZero(given, "pending"),
                            orZero(given, "running"),
                            orZero(given, "waiting"),
                            orZero(given, "dead"))
                        .from(given.table())
                        .fullJoin(before())
                        .on(BEFORE.eq(queue)))
                .onConflictDoNothing()
                .returning(JOB_DEPTHS.QUEUE));
  }

  /** The queues that had jobs when they were last counted. */
  private static Table<?> before() {
    Field<Instant> recent =
        field("{0} - interval '2 minutes'", SQLDataType.INSTANT, DatabaseClock.NOW);
    return selectDistinct(JOB_DEPTHS.QUEUE)
        .from(JOB_DEPTHS)
        .where(JOB_DEPTHS.MINUTE.ge(recent))
        .and(
            JOB_DEPTHS
                .PENDING
                .plus(JOB_DEPTHS.RUNNING)
                .plus(JOB_DEPTHS.WAITING)
                .plus(JOB_DEPTHS.DEAD)
                .gt(inline(0L)))
        .asTable("before");
  }

  private static Field<Long> orZero(ArrayRows given, String column) {
    return coalesce(given.field(column, Long.class), inline(0L));
  }

  private static Param<Long[]> numbers(String name) {
    return param(name, Long[].class);
  }

  private static Arguments arguments(List<Depth> depths) {
    return new Arguments()
        .texts("queues", depths, Depth::queue)
        .bigints("pending", depths, Depth::pending)
        .bigints("running", depths, Depth::running)
        .bigints("waiting", depths, Depth::waiting)
        .bigints("dead", depths, Depth::dead);
  }
}
