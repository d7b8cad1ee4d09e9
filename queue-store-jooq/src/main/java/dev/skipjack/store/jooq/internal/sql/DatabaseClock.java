package dev.skipjack.store.jooq.internal.sql;

import static org.jooq.impl.DSL.field;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;
import org.jooq.types.YearToSecond;

/**
 * The only clock that decides what is due and what has run out: the database's. Durations travel as
 * microseconds and are added there, so a wrong clock on some machine moves nothing.
 */
public final class DatabaseClock {

  /**
   * {@code clock_timestamp()}, not {@code now()}: the latter is the start of the transaction, which
   * may have waited long before it asks.
   */
  public static final Field<Instant> NOW = field("clock_timestamp()", SQLDataType.INSTANT);

  /**
   * {@code now()}: stable within a statement, so an index condition may use it. Right only where
   * the transaction began with the statement.
   */
  public static final Field<Instant> TRANSACTION_START = field("now()", SQLDataType.INSTANT);

  /** {@code statement_timestamp()}: as stable, and later in a transaction that is open already. */
  public static final Field<Instant> STATEMENT_START =
      field("statement_timestamp()", SQLDataType.INSTANT);

  private DatabaseClock() {}

  /** {@code instant} and so many microseconds. */
  public static Field<Instant> plusMicros(Field<Instant> instant, Field<Long> micros) {
    return field("{0} + {1}", SQLDataType.INSTANT, instant, interval(micros));
  }

  /**
   * So many microseconds; the DSL has no word for an interval from a number. The server multiplies
   * by a double anyway; said, no other operator in the search path fits better. Exact for 285
   * years.
   */
  public static Field<YearToSecond> interval(Field<Long> micros) {
    return field(
        "cast({0} as double precision) * interval '1 microsecond'", SQLDataType.INTERVAL, micros);
  }

  /** A duration as parameters carry it, rounded up to a whole microsecond. */
  public static long micros(Duration duration) {
    return TimeUnit.MICROSECONDS.convert(duration.plusNanos(999));
  }
}
