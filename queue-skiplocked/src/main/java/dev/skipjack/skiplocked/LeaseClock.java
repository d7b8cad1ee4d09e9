package dev.skipjack.skiplocked;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record1;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** Leases begin and expire by the database's clock. */
final class LeaseClock {

  private static final Duration LONGEST = Duration.ofDays(365);

  private LeaseClock() {}

  static void check(Duration lease) {
    if (lease.isNegative() || lease.isZero() || lease.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "Lease %s must be positive and at most %s days.".formatted(lease, LONGEST.toDays()));
    }
  }

  /**
   * Returns the condition that no lease holds the row: {@code until}, the end of its lease, is null
   * or has passed. {@code statement_timestamp()} does not change within the statement, so an index
   * condition may use it. {@code now()} would be in the past if the transaction has been open for a
   * long time.
   */
  static <T> Condition isFree(Field<T> until) {
    return until
        .isNull()
        .or(until.le(DSL.field("pg_catalog.statement_timestamp()", until.getDataType())));
  }

  /**
   * Returns a CTE with the end of a lease that begins now, the same for all rows of a statement:
   * {@code term AS MATERIALIZED (SELECT clock_timestamp() + ... AS until)}. It does not use {@code
   * statement_timestamp()}, because the statement may have waited for a lock on the table since
   * then.
   */
  static CommonTableExpression<Record1<Instant>> term(Duration lease) {
    long micros = TimeUnit.MICROSECONDS.convert(lease.plusNanos(999));
    return DSL.name("skiplocked_term")
        .asMaterialized(
            DSL.select(
                DSL.field(
                        "pg_catalog.clock_timestamp() + cast({0} as double precision) * interval '1"
                            + " microsecond'",
                        SQLDataType.INSTANT, DSL.val(micros))
                    .as("until")));
  }

  /** Returns the end of the lease with the type of the column {@code until}. */
  static <T> Field<T> end(CommonTableExpression<Record1<Instant>> term, Field<T> until) {
    return DSL.field(DSL.select(end(term)).from(term)).coerce(until);
  }

  static Field<Instant> end(CommonTableExpression<Record1<Instant>> term) {
    return term.field("until", SQLDataType.INSTANT);
  }
}
