package dev.skipjack.sql;

import static org.jooq.impl.DSL.field;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;
import org.jooq.types.YearToSecond;

/**
 * The clock of the database, which alone determines what is due and what has expired. Durations are
 * sent as microseconds and added in the database, so a wrong clock on another machine has no
 * effect.
 */
public final class DatabaseClock {

  /**
   * The current time, {@code clock_timestamp()}. It is not {@code now()}, the start of the
   * transaction, because the transaction may have been open for a long time before this statement.
   */
  public static final Field<Instant> NOW = field("clock_timestamp()", SQLDataType.INSTANT);

  /**
   * The start of the transaction, {@code now()}. It does not change during a statement, so an index
   * condition may use it. It is the current time only if the transaction began with the statement.
   */
  public static final Field<Instant> TRANSACTION_START = field("now()", SQLDataType.INSTANT);

  /**
   * The start of the statement, {@code statement_timestamp()}. It does not change during a
   * statement either, and is later than {@code now()} if the transaction was already open.
   */
  public static final Field<Instant> STATEMENT_START =
      field("statement_timestamp()", SQLDataType.INSTANT);

  private DatabaseClock() {}

  /**
   * {@return {@code instant} plus a number of microseconds}
   *
   * @param instant the instant
   * @param micros the number of microseconds
   */
  public static Field<Instant> plusMicros(Field<Instant> instant, Field<Long> micros) {
    return field("{0} + {1}", SQLDataType.INSTANT, instant, interval(micros));
  }

  /**
   * {@return {@code instant} minus a number of microseconds} Stored times are compared with the
   * current time minus a duration, because the latest times that PostgreSQL can store would
   * overflow in an addition.
   *
   * @param instant the instant
   * @param micros the number of microseconds
   */
  public static Field<Instant> minusMicros(Field<Instant> instant, Field<Long> micros) {
    return field("{0} - {1}", SQLDataType.INSTANT, instant, interval(micros));
  }

  /**
   * {@return the microseconds until {@code instant}, negative if it has passed} Differences of more
   * than 100 days count as 100 days, because the difference to {@code infinity} is not a finite
   * number.
   *
   * @param instant the instant
   */
  public static Field<Long> microsUntil(Field<Instant> instant) {
    return field(
        "cast(extract(epoch from greatest(least({0}, {1} + interval '100 days'), {1} - interval"
            + " '100 days') - {1}) * 1000000 as bigint)",
        SQLDataType.BIGINT, instant, NOW);
  }

  /**
   * {@return a number of microseconds as an interval, which jOOQ's DSL cannot express} The explicit
   * cast to a double, which the server would otherwise apply itself, ensures that no other operator
   * in the search path is a better match. The result is exact for 285 years.
   *
   * @param micros the number of microseconds
   */
  public static Field<YearToSecond> interval(Field<Long> micros) {
    return field(
        "cast({0} as double precision) * interval '1 microsecond'", SQLDataType.INTERVAL, micros);
  }

  /**
   * {@return the duration in microseconds, rounded up} Parameters of statements have this form.
   *
   * @param duration the duration
   */
  public static long micros(Duration duration) {
    return TimeUnit.MICROSECONDS.convert(duration.plusNanos(999));
  }

  /**
   * {@return the start of the minute that contains an instant}
   *
   * @param instant the instant
   */
  public static Field<Instant> minuteOf(Field<Instant> instant) {
    return field("date_trunc('minute', {0})", SQLDataType.INSTANT, instant);
  }
}
