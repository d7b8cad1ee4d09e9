package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_MINUTES;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.DurationHistogram;
import dev.skipjack.api.spi.JobMinute;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.impl.SQLDataType;

/**
 * Appends the numbers of one worker for the last minute.
 *
 * <pre>{@code
 * WITH added AS (INSERT INTO job_minutes (minute, queue, kind, worker_id, completed, ...)
 *                SELECT date_trunc('minute', clock_timestamp() - interval '20 seconds'), queue, kind, :worker, completed, ...
 *                  FROM unnest(:queues, :kinds, :completed, ...) AS given RETURNING queue)
 * SELECT count(*) FROM added
 * }</pre>
 *
 * <p>Workers call it in the first seconds of a minute. A time of 20 seconds earlier is therefore in
 * the minute of the numbers, unless the clocks of worker and database differ by more than that.
 * Inserts only and waits for nothing.
 */
final class AddMinuteStatement {

  /** The numbers of a worker. */
  record Request(WorkerId worker, List<JobMinute> counts) {}

  private static final Field<Integer> ADDED = count();

  private static final Field<Instant> MINUTE =
      DatabaseClock.minuteOf(
          field("{0} - interval '20 seconds'", SQLDataType.INSTANT, DatabaseClock.NOW));

  private AddMinuteStatement() {}

  /** Creates the statement, which returns the number of added rows. */
  static Statement<Request, Integer> of(DSLContext dialect) {
    CommonTableExpression<?> added = added();
    return Statement.of(
        dialect,
        with(added).select(ADDED).from(table(name("added"))),
        AddMinuteStatement::arguments,
        row -> row.integer(ADDED));
  }

  private static CommonTableExpression<?> added() {
    ArrayRows given =
        ArrayRows.named("given")
            .column("queue", Texts.array("queues"))
            .column("kind", Texts.array("kinds"))
            .column("completed", integers("completed"))
            .column("failed", integers("failed"))
            .column("dead", integers("dead"))
            .column("cancelled", integers("cancelled"))
            .column("snoozed", integers("snoozed"))
            .column("lost", integers("lost"))
            .column("waits", Texts.array("waits"))
            .column("runs", Texts.array("runs"));
    return name("added")
        .as(
            insertInto(
                    JOB_MINUTES,
                    JOB_MINUTES.MINUTE,
                    JOB_MINUTES.QUEUE,
                    JOB_MINUTES.KIND,
                    JOB_MINUTES.WORKER_ID,
                    JOB_MINUTES.COMPLETED,
                    JOB_MINUTES.FAILED,
                    JOB_MINUTES.DEAD,
                    JOB_MINUTES.CANCELLED,
                    JOB_MINUTES.SNOOZED,
                    JOB_MINUTES.LOST,
                    JOB_MINUTES.WAITS,
                    JOB_MINUTES.RUNS)
                .select(
                    select(
                            MINUTE,
                            given.field("queue", String.class),
                            given.field("kind", String.class),
                            Texts.param("worker"),
                            given.field("completed", Integer.class),
                            given.field("failed", Integer.class),
                            given.field("dead", Integer.class),
                            given.field("cancelled", Integer.class),
                            given.field("snoozed", Integer.class),
                            given.field("lost", Integer.class),
                            cast(given.field("waits", String.class), JOB_MINUTES.WAITS),
                            cast(given.field("runs", String.class), JOB_MINUTES.RUNS))
                        .from(given.table()))
                .returning(JOB_MINUTES.QUEUE));
  }

  private static Param<Integer[]> integers(String name) {
    return param(name, Integer[].class);
  }

  private static Arguments arguments(Request request) {
    Arguments arguments =
        new Arguments()
            .text("worker", request.worker().toString())
            .texts("queues", request.counts(), JobMinute::queue)
            .texts("kinds", request.counts(), JobMinute::kind)
            .texts("waits", request.counts(), minute -> literal(minute.waits()))
            .texts("runs", request.counts(), minute -> literal(minute.runs()));
    counts(arguments, "completed", request, JobMinute::completed);
    counts(arguments, "failed", request, JobMinute::failed);
    counts(arguments, "dead", request, JobMinute::dead);
    counts(arguments, "cancelled", request, JobMinute::cancelled);
    counts(arguments, "snoozed", request, JobMinute::snoozed);
    counts(arguments, "lost", request, JobMinute::lost);
    return arguments;
  }

  private static void counts(
      Arguments arguments, String name, Request request, ToIntFunction<JobMinute> number) {
    arguments.integers(name, request.counts(), number::applyAsInt);
  }

  /** Returns the numbers as an array of PostgreSQL, without the zeros at the end. */
  private static String literal(DurationHistogram histogram) {
    long[] counts = histogram.counts();
    int length = counts.length;
    while (length > 0 && counts[length - 1] == 0) {
      length--;
    }
    return Arrays.stream(counts, 0, length)
        .mapToObj(Long::toString)
        .collect(Collectors.joining(",", "{", "}"));
  }
}
