package dev.skipjack.operations.read;

import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.param;

import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Texts;
import java.time.Instant;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.impl.SQLDataType;

/** The parts of the statements that read the numbers of the last minutes. */
final class MinuteSteps {

  private static final Param<Long> LAST = param("last", Long.class);
  private static final Param<Long> STEP = param("step", Long.class);
  private static final Param<String[]> QUEUES = Texts.array("queues");
  private static final Param<Boolean> EVERY_QUEUE = param("every_queue", Boolean.class);

  private MinuteSteps() {}

  /** The start of the interval that contains a minute. Intervals begin at multiples of the step. */
  static Field<Instant> stepOf(Field<Instant> minute) {
    return field(
        "date_bin({0}, {1}, timestamptz '2000-01-01 00:00:00+00')",
        SQLDataType.INSTANT, DatabaseClock.interval(STEP), minute);
  }

  /**
   * Whether the query reads a row. The first interval is complete: it begins where an interval
   * begins.
   */
  static Condition condition(Field<Instant> minute, Field<String> queue) {
    Field<Instant> from = stepOf(DatabaseClock.minusMicros(DatabaseClock.STATEMENT_START, LAST));
    return minute
        .ge(from)
        .and(minute.le(DatabaseClock.STATEMENT_START))
        .and(EVERY_QUEUE.eq(inline(true)).or(queue.eq(any(QUEUES))));
  }

  static Arguments arguments(MinutesQuery query) {
    return new Arguments()
        .number("last", DatabaseClock.micros(query.last()))
        .number("step", DatabaseClock.micros(query.step()))
        .texts("queues", query.queues(), queue -> queue)
        .flag("every_queue", query.queues().isEmpty());
  }
}
