package dev.skipjack.sql;

import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_RATE_USES;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.operations.Rate;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Calculates for operators when a rate allows the next start. Claims have their own arithmetic,
 * because they decide and record a start in one statement.
 */
public final class RateUses {

  /** The key of the starts of a whole limit in {@code job_rate_uses}. */
  public static final String WHOLE_LIMIT = "";

  private final Field<Instant> now;
  private final Field<Instant> throttledUntil;
  private final Field<Instant> takenAt;
  private final Field<Instant> fullAt;
  private final Field<Long> used;
  private final Field<Instant> oldest;
  private final Field<Instant> windowStart;

  /**
   * Creates the columns that {@link #opensAt} needs, for a query that contains a row of {@code
   * job_limits}.
   *
   * @param key the key of the starts in {@code job_rate_uses}
   * @param prefix the beginning of the columns' names
   */
  public RateUses(Field<String> key, String prefix) {
    Field<Instant> clock = DatabaseClock.STATEMENT_START;
    Field<Instant> start =
        when(
                JOB_LIMITS.RATE_KIND.eq(inline(Rate.Kind.SLIDING.literal())),
                field("{0} - {1}", SQLDataType.INSTANT, clock, JOB_LIMITS.RATE_PERIOD))
            .when(
                JOB_LIMITS.RATE_KIND.eq(inline(Rate.Kind.FIXED.literal())),
                field(
                    "date_bin({0}, {1}, timestamptz '2000-01-01 00:00:00+00')",
                    SQLDataType.INSTANT, JOB_LIMITS.RATE_PERIOD, clock));
    Table<?> recent =
        select(JOB_RATE_USES.TAKEN, JOB_RATE_USES.AT)
            .from(JOB_RATE_USES)
            .where(JOB_RATE_USES.LIMIT_NAME.eq(JOB_LIMITS.NAME))
            .and(JOB_RATE_USES.GROUP_KEY.eq(key))
            .and(JOB_RATE_USES.TAKEN.gt(inline(0)))
            .orderBy(JOB_RATE_USES.ID.desc())
            .limit(JOB_LIMITS.RATE_COUNT)
            .asTable("recent");
    this.now = clock.as(prefix + "now");
    this.windowStart = start.as(prefix + "window_start");
    this.throttledUntil =
        newest(key, when(JOB_RATE_USES.TAKEN.eq(inline(0)), JOB_RATE_USES.FULL_AT))
            .as(prefix + "throttled_until");
    this.takenAt =
        newest(key, when(JOB_RATE_USES.TAKEN.gt(inline(0)), JOB_RATE_USES.AT))
            .as(prefix + "taken_at");
    this.fullAt =
        newest(key, when(JOB_RATE_USES.TAKEN.gt(inline(0)), JOB_RATE_USES.FULL_AT))
            .as(prefix + "full_at");
    this.used =
        field(
                select(sum(recent.field(JOB_RATE_USES.TAKEN)).cast(SQLDataType.BIGINT))
                    .from(recent)
                    .where(recent.field(JOB_RATE_USES.AT).ge(start)))
            .as(prefix + "used");
    this.oldest =
        field(
                select(min(recent.field(JOB_RATE_USES.AT)))
                    .from(recent)
                    .where(recent.field(JOB_RATE_USES.AT).ge(start)))
            .as(prefix + "oldest");
  }

  private static Field<Instant> newest(Field<String> key, Field<Instant> column) {
    return field(
        select(column)
            .from(JOB_RATE_USES)
            .where(JOB_RATE_USES.LIMIT_NAME.eq(JOB_LIMITS.NAME))
            .and(JOB_RATE_USES.GROUP_KEY.eq(key))
            .orderBy(JOB_RATE_USES.ID.desc())
            .limit(inline(1)));
  }

  /** {@return the columns} */
  public List<Field<?>> columns() {
    return List.of(now, throttledUntil, takenAt, fullAt, used, oldest, windowStart);
  }

  /**
   * {@return when the next job may start, or null if one may start now}
   *
   * @param row a row with all columns
   * @param rate the rate that counts the starts of the key; null if none does, in which case only a
   *     throttle can hold them
   * @throws SQLException if a column cannot be read
   */
  public @Nullable Instant opensAt(Row row, @Nullable Rate rate) throws SQLException {
    Instant at = row.instant(now);
    Instant full = row.instantOrNull(throttledUntil);
    Instant opens = null;
    if (rate != null && rate.kind() == Rate.Kind.BUCKET) {
      full = full == null ? filled(row, rate) : full;
      Duration spared = interval(rate).multipliedBy(rate.burst() - 1L);
      opens = full == null ? null : full.minus(spared);
    } else if (full != null && full.isAfter(at)) {
      opens = full;
    } else if (rate != null) {
      Long starts = row.numberOrNull(used);
      if (starts != null && starts >= rate.count()) {
        Instant begin = row.instant(rate.kind() == Rate.Kind.SLIDING ? oldest : windowStart);
        opens = begin.plus(rate.period());
      }
    }
    return opens != null && opens.isAfter(at) ? opens : null;
  }

  /**
   * Returns when a bucket is full, but no later than the present rate can take to fill it after the
   * last start: the row may have been written under another rate.
   */
  private @Nullable Instant filled(Row row, Rate rate) throws SQLException {
    Instant full = row.instantOrNull(fullAt);
    if (full == null) {
      return null;
    }
    Instant latest = row.instant(takenAt).plus(interval(rate).multipliedBy(rate.burst()));
    return full.isAfter(latest) ? latest : full;
  }

  /** Returns the time in which a bucket gains one token, rounded up to a microsecond. */
  private static Duration interval(Rate rate) {
    long period = rate.period().toNanos() / 1_000;
    return Duration.of(-Math.floorDiv(-period, rate.count()), ChronoUnit.MICROS);
  }
}
