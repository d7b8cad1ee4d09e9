package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_RATE_USES;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.when;

import dev.skipjack.sql.DatabaseClock;
import java.time.Instant;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * The arithmetic of rates, in microseconds.
 *
 * <p>A token bucket is the generic cell rate algorithm: {@code full_at} of the newest row is the
 * time at which the bucket is full again. A claim may start {@code (burst * interval - (full_at -
 * now)) / interval} jobs, and adds {@code interval} for each. Windows count the rows of earlier
 * claims.
 *
 * <p>A claim reads the clock twice: before it starts jobs, to calculate how many it may start, and
 * afterwards, for the row that it adds. The starts are therefore never earlier than the
 * calculation, and never later than the row. With one time for both, a slow claim would start jobs
 * after the time in its row.
 */
final class RateLimit {

  /** The period of the rate. */
  static final Field<Long> PERIOD = QueueLimit.of(field(name("rate_period"), SQLDataType.BIGINT));

  /** The time in which a bucket gains one token, rounded up. */
  static final Field<Long> INTERVAL =
      QueueLimit.of(field(name("rate_interval"), SQLDataType.BIGINT));

  private static final Field<Integer> COUNT = QueueLimit.of(JOB_LIMITS.RATE_COUNT);
  private static final Field<Integer> BURST = QueueLimit.of(JOB_LIMITS.RATE_BURST);
  private static final Field<Instant> NOW = DatabaseClock.STATEMENT_START;

  private RateLimit() {}

  /** Returns the period of {@code job_limits} in microseconds. */
  static Field<Long> period() {
    return field(
        "cast(ceil(extract(epoch from {0}) * 1000000) as bigint)",
        SQLDataType.BIGINT, JOB_LIMITS.RATE_PERIOD);
  }

  /** Returns the interval between two tokens. */
  static Field<Long> interval() {
    return field(
        "cast(ceil(extract(epoch from {0}) * 1000000 / {1}) as bigint)",
        SQLDataType.BIGINT, JOB_LIMITS.RATE_PERIOD, JOB_LIMITS.RATE_COUNT);
  }

  /** Returns the key of a group in {@code job_rate_uses}. That of the whole limit is empty. */
  static Field<String> keyOf(Field<String> group) {
    return inline("/").concat(coalesce(group, inline("")));
  }

  /**
   * Returns {@code full_at} of the newest row, or NULL if there is none or it has no effect any
   * more. A throttle always has an effect. The row of a start has an effect only if the rate
   * applies and is a bucket. Its time is limited to that in which the present bucket fills, because
   * the row may have been written under other numbers.
   *
   * @param applies whether the rate counts the starts of this key
   */
  static Field<Instant> fullAt(Condition applies, Field<String> key) {
    Field<Long> longest = BURST.cast(SQLDataType.BIGINT).mul(INTERVAL);
    return field(
        select(
                when(JOB_RATE_USES.TAKEN.eq(inline(0)), JOB_RATE_USES.FULL_AT)
                    .when(
                        applies.and(isBucket()),
                        least(
                            JOB_RATE_USES.FULL_AT,
                            DatabaseClock.plusMicros(JOB_RATE_USES.AT, longest))))
            .from(JOB_RATE_USES)
            .where(JOB_RATE_USES.LIMIT_NAME.eq(QueueLimit.NAME))
            .and(JOB_RATE_USES.GROUP_KEY.eq(key))
            .orderBy(JOB_RATE_USES.ID.desc())
            .limit(inline(1)));
  }

  /**
   * Returns how many jobs may start now, or NULL for any number.
   *
   * @param applies whether the rate counts the starts of this key. If it does not, only a throttle
   *     holds them
   * @param fullAt the time of {@link #fullAt}
   */
  static Field<Long> tokens(Condition applies, Field<String> key, Field<Instant> fullAt) {
    Field<Long> ahead = greatest(micros(fullAt), inline(0L));
    Field<Long> burst = BURST.cast(SQLDataType.BIGINT);
    Field<Long> left = greatest(COUNT.cast(SQLDataType.BIGINT).minus(used(key)), inline(0L));
    return when(
            applies.and(isBucket()),
            greatest(burst.mul(INTERVAL).minus(ahead).div(INTERVAL), inline(0L)))
        .when(ahead.gt(inline(0L)), inline(0L))
        .when(applies, left);
  }

  /**
   * Returns in how many microseconds the next job may start if {@link #tokens} is zero. With a
   * window, this is when the first of the counted starts leaves it.
   */
  static Field<Long> opensIn(Condition applies, Field<String> key, Field<Instant> fullAt) {
    Field<Long> ahead = micros(fullAt);
    Field<Long> burst = BURST.cast(SQLDataType.BIGINT);
    return when(applies.and(isBucket()), ahead.minus(burst.minus(inline(1L)).mul(INTERVAL)))
        .when(ahead.gt(inline(0L)), ahead)
        .when(applies.and(isSliding()), micros(oldest(key)).plus(PERIOD))
        .when(applies, micros(windowStart()).plus(PERIOD));
  }

  /** Returns {@code full_at} of the row of a claim that has just started {@code taken} jobs. */
  static Field<Instant> filledBy(Field<? extends Number> taken, Field<Instant> fullAt) {
    Field<Instant> base = greatest(DatabaseClock.NOW, fullAt);
    return when(
            isBucket(),
            DatabaseClock.plusMicros(base, taken.cast(SQLDataType.BIGINT).mul(INTERVAL)))
        .otherwise(base);
  }

  private static Condition isBucket() {
    return condition("{0} = 'bucket'", QueueLimit.of(JOB_LIMITS.RATE_KIND));
  }

  private static Condition isSliding() {
    return condition("{0} = 'sliding'", QueueLimit.of(JOB_LIMITS.RATE_KIND));
  }

  private static Field<Long> used(Field<String> key) {
    Table<?> recent = recent(key);
    return field(
        select(
                coalesce(
                    sum(recent.field(JOB_RATE_USES.TAKEN)).cast(SQLDataType.BIGINT), inline(0L)))
            .from(recent)
            .where(recent.field(JOB_RATE_USES.AT).ge(windowStart())));
  }

  private static Field<Instant> oldest(Field<String> key) {
    Table<?> recent = recent(key);
    return field(
        select(min(recent.field(JOB_RATE_USES.AT)))
            .from(recent)
            .where(recent.field(JOB_RATE_USES.AT).ge(windowStart())));
  }

  /**
   * Returns the newest rows with starts. Each contains at least one start, so as many rows as the
   * rate permits starts are enough.
   */
  private static Table<?> recent(Field<String> key) {
    return select(JOB_RATE_USES.TAKEN, JOB_RATE_USES.AT)
        .from(JOB_RATE_USES)
        .where(JOB_RATE_USES.LIMIT_NAME.eq(QueueLimit.NAME))
        .and(JOB_RATE_USES.GROUP_KEY.eq(key))
        .and(JOB_RATE_USES.TAKEN.gt(inline(0)))
        .orderBy(JOB_RATE_USES.ID.desc())
        .limit(COUNT)
        .asTable("recent");
  }

  /** Returns the start of the current window. Fixed windows are counted from the year 2000. */
  private static Field<Instant> windowStart() {
    return when(isSliding(), DatabaseClock.minusMicros(NOW, PERIOD))
        .otherwise(
            field(
                "date_bin({0}, {1}, timestamptz '2000-01-01 00:00:00+00')",
                SQLDataType.INSTANT, DatabaseClock.interval(PERIOD), NOW));
  }

  /** Returns the microseconds from now until {@code instant}; 0 for NULL. */
  private static Field<Long> micros(Field<Instant> instant) {
    return field(
        "cast(coalesce(extract(epoch from {0} - {1}) * 1000000, 0) as bigint)",
        SQLDataType.BIGINT, instant, NOW);
  }
}
