package dev.skipjack.sql;

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

import java.time.Instant;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * The arithmetic of rates, in microseconds. Claims use it to decide how many jobs may start, and
 * operators' statements to show when a rate opens, that is, when the next job may start.
 *
 * <p>A token bucket is the generic cell rate algorithm: {@code full_at} of the newest row says when
 * the bucket is full again. A claim may start {@code (burst * interval - (full_at - now)) /
 * interval} jobs, and adds {@code interval} for each. Windows add up the starts in the rows of
 * earlier claims.
 *
 * <p>A claim reads the clock before it starts jobs to find out how many it may start, and again
 * after that for the row that it adds. So the row is never earlier than a start, and the starts are
 * never earlier than the calculation. With one time for both, a slow claim would start jobs after
 * the time that its row shows.
 */
public final class RateLimit {

  /** The key of the starts of a whole limit in {@code job_rate_uses}. */
  public static final String WHOLE_LIMIT = "";

  /** The rate in a row of {@code job_limits}. */
  public static final RateLimit OF_ROW =
      new RateLimit(
          JOB_LIMITS.NAME,
          JOB_LIMITS.RATE_COUNT,
          coalesce(JOB_LIMITS.RATE_BURST, JOB_LIMITS.RATE_COUNT),
          JOB_LIMITS.RATE_KIND,
          period(),
          interval());

  private static final Field<Instant> NOW = DatabaseClock.STATEMENT_START;

  private final Field<String> limit;
  private final Field<Integer> count;
  private final Field<Integer> burst;
  private final Field<String> kind;
  private final Field<Long> period;
  private final Field<Long> interval;

  /**
   * Creates the arithmetic of a rate, from columns of the query in which it is used.
   *
   * @param limit the name of the limit
   * @param count the number of starts in a period; NULL if the limit has no rate
   * @param burst the number of starts of a full bucket
   * @param kind the kind of the rate
   * @param period the period in microseconds
   * @param interval the time in microseconds in which a bucket gains one token, rounded up
   */
  public RateLimit(
      Field<String> limit,
      Field<Integer> count,
      Field<Integer> burst,
      Field<String> kind,
      Field<Long> period,
      Field<Long> interval) {
    this.limit = limit;
    this.count = count;
    this.burst = burst;
    this.kind = kind;
    this.period = period;
    this.interval = interval;
  }

  /**
   * {@return the period of {@code job_limits} in microseconds} A period of days is a number of
   * seconds, not of local days, which are shorter or longer when the clocks of the session's time
   * zone change.
   */
  public static Field<Long> period() {
    return field(
        "cast(ceil(extract(epoch from {0}) * 1000000) as bigint)",
        SQLDataType.BIGINT, JOB_LIMITS.RATE_PERIOD);
  }

  /** {@return the interval between two tokens of {@code job_limits} in microseconds} */
  public static Field<Long> interval() {
    return field(
        "cast(ceil(extract(epoch from {0}) * 1000000 / {1}) as bigint)",
        SQLDataType.BIGINT, JOB_LIMITS.RATE_PERIOD, JOB_LIMITS.RATE_COUNT);
  }

  /** {@return the condition that the rate counts the starts of the whole limit together} */
  public static Condition isOverAll() {
    return JOB_LIMITS.RATE_COUNT.isNotNull().and(JOB_LIMITS.RATE_PER_GROUP.isFalse());
  }

  /** {@return the condition that the rate counts the starts of each group} */
  public static Condition isPerGroup() {
    return JOB_LIMITS.RATE_COUNT.isNotNull().and(JOB_LIMITS.RATE_PER_GROUP.isTrue());
  }

  /**
   * {@return the key of a group in {@code job_rate_uses}} That of the whole limit is empty.
   *
   * @param group the group
   */
  public static Field<String> keyOf(Field<String> group) {
    return inline("/").concat(coalesce(group, inline("")));
  }

  /**
   * {@return when the next job may start, or NULL if one may start now}
   *
   * @param applies whether the rate counts the starts of this key
   * @param key the key of the starts in {@code job_rate_uses}
   */
  public Field<Instant> opensAt(Condition applies, Field<String> key) {
    Table<?> newest = select(fullAt(applies, key).as("full_at")).asTable("newest");
    Field<Instant> fullAt = field(name("newest", "full_at"), SQLDataType.INSTANT);
    return field(
        select(
                when(
                    tokens(applies, key, fullAt).eq(inline(0L)),
                    DatabaseClock.plusMicros(NOW, opensIn(applies, key, fullAt))))
            .from(newest));
  }

  /**
   * {@return {@code full_at} of the newest row, or NULL if there is none or it has no effect any
   * more} A throttle always has an effect. A start has an effect only if the rate applies and is a
   * bucket. A bucket is full again at the latest after the time that a whole burst takes, even if
   * its numbers have changed since.
   *
   * @param applies whether the rate counts the starts of this key
   * @param key the key
   */
  public Field<Instant> fullAt(Condition applies, Field<String> key) {
    Field<Long> longest = burst.cast(SQLDataType.BIGINT).mul(interval);
    return field(
        select(
                when(JOB_RATE_USES.TAKEN.eq(inline(0)), JOB_RATE_USES.FULL_AT)
                    .when(
                        applies.and(isBucket()),
                        least(
                            JOB_RATE_USES.FULL_AT,
                            DatabaseClock.plusMicros(JOB_RATE_USES.AT, longest))))
            .from(JOB_RATE_USES)
            .where(JOB_RATE_USES.LIMIT_NAME.eq(limit))
            .and(JOB_RATE_USES.GROUP_KEY.eq(key))
            .orderBy(JOB_RATE_USES.ID.desc())
            .limit(inline(1)));
  }

  /**
   * {@return how many jobs may start now, or NULL for any number}
   *
   * @param applies whether the rate counts the starts of this key. If it does not, only a throttle
   *     holds them
   * @param key the key
   * @param fullAt the time of {@link #fullAt}
   */
  public Field<Long> tokens(Condition applies, Field<String> key, Field<Instant> fullAt) {
    Field<Long> ahead = greatest(micros(fullAt), inline(0L));
    Field<Long> most = burst.cast(SQLDataType.BIGINT);
    Field<Long> left = greatest(count.cast(SQLDataType.BIGINT).minus(used(key)), inline(0L));
    return when(
            applies.and(isBucket()),
            greatest(most.mul(interval).minus(ahead).div(interval), inline(0L)))
        .when(ahead.gt(inline(0L)), inline(0L))
        .when(applies, left);
  }

  /**
   * {@return in how many microseconds the next job may start if {@link #tokens} is zero} A sliding
   * window permits the next start when the first counted start leaves it, and a fixed window when
   * it ends.
   *
   * @param applies whether the rate counts the starts of this key
   * @param key the key
   * @param fullAt the time of {@link #fullAt}
   */
  public Field<Long> opensIn(Condition applies, Field<String> key, Field<Instant> fullAt) {
    Field<Long> ahead = micros(fullAt);
    Field<Long> spared = burst.cast(SQLDataType.BIGINT).minus(inline(1L));
    return when(applies.and(isBucket()), ahead.minus(spared.mul(interval)))
        .when(ahead.gt(inline(0L)), ahead)
        .when(applies.and(isSliding()), micros(oldest(key)).plus(period))
        .when(applies, micros(windowStart()).plus(period));
  }

  /**
   * {@return {@code full_at} of the row of a claim that has just started jobs}
   *
   * @param taken the number of jobs
   * @param fullAt the time of {@link #fullAt} before the claim
   */
  public Field<Instant> filledBy(Field<? extends Number> taken, Field<Instant> fullAt) {
    Field<Instant> base = greatest(DatabaseClock.NOW, fullAt);
    return when(
            isBucket(),
            DatabaseClock.plusMicros(base, taken.cast(SQLDataType.BIGINT).mul(interval)))
        .otherwise(base);
  }

  private Condition isBucket() {
    return condition("{0} = 'bucket'", kind);
  }

  private Condition isSliding() {
    return condition("{0} = 'sliding'", kind);
  }

  private Field<Long> used(Field<String> key) {
    Table<?> recent = recent(key);
    return field(
        select(
                coalesce(
                    sum(recent.field(JOB_RATE_USES.TAKEN)).cast(SQLDataType.BIGINT), inline(0L)))
            .from(recent)
            .where(recent.field(JOB_RATE_USES.AT).ge(windowStart())));
  }

  private Field<Instant> oldest(Field<String> key) {
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
  private Table<?> recent(Field<String> key) {
    return select(JOB_RATE_USES.TAKEN, JOB_RATE_USES.AT)
        .from(JOB_RATE_USES)
        .where(JOB_RATE_USES.LIMIT_NAME.eq(limit))
        .and(JOB_RATE_USES.GROUP_KEY.eq(key))
        .and(JOB_RATE_USES.TAKEN.gt(inline(0)))
        .orderBy(JOB_RATE_USES.ID.desc())
        .limit(count)
        .asTable("recent");
  }

  /** Returns the start of the current window. Fixed windows are counted from the year 2000. */
  private Field<Instant> windowStart() {
    return when(isSliding(), DatabaseClock.minusMicros(NOW, period))
        .otherwise(
            field(
                "date_bin({0}, {1}, timestamptz '2000-01-01 00:00:00+00')",
                SQLDataType.INSTANT, DatabaseClock.interval(period), NOW));
  }

  /** Returns the microseconds from now until {@code instant}; 0 for NULL. */
  private static Field<Long> micros(Field<Instant> instant) {
    return field(
        "cast(coalesce(extract(epoch from {0} - {1}) * 1000000, 0) as bigint)",
        SQLDataType.BIGINT, instant, NOW);
  }
}
