package dev.skipjack.api.schedule;

import dev.skipjack.api.EnqueueOptions;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A timing that fires at the times of a cron expression.
 *
 * <h2>Syntax</h2>
 *
 * <p>An expression has five fields: minute (0-59), hour (0-23), day of month (1-31), month (1-12 or
 * JAN-DEC) and day of week (0-7 or SUN-SAT; 0 and 7 are Sunday). An optional additional field in
 * front of them is the second (0-59), which defaults to 0. Names are not case-sensitive. Each field
 * has one of the following forms, or is a comma-separated list of them:
 *
 * <ul>
 *   <li>Any field: {@code *} is every value, {@code 15} a single value, and {@code 9-17} a range.
 *       {@code *}{@code /15} and {@code 9-17/2} are every n-th value of a range, and {@code 5/15}
 *       is every 15th value from 5 to the maximum of the field. As in crontab and Spring, a range
 *       must not run backwards; write {@code 22-23,0-6} instead of {@code 22-6}.
 *   <li>Day of month: {@code L} is the last day, {@code L-3} the third day before it, {@code 15W}
 *       the weekday (Monday to Friday) nearest to the 15th within the month, and {@code LW} the
 *       last weekday. A month that does not have the day is skipped.
 *   <li>Day of week: {@code FRIL} and {@code 5L} are the last Friday of the month, and {@code
 *       MON#2} is the second Monday. Steps of {@code *} start on Sunday, and {@code MON/2} ends on
 *       the following Sunday.
 *   <li>Either day field: {@code ?} is the same as {@code *}.
 * </ul>
 *
 * <p>If both day fields are restricted, a date must match at least <em>one</em> of them, as
 * specified by <a href="https://man7.org/linux/man-pages/man5/crontab.5.html">crontab(5)</a> and
 * POSIX: {@code 0 0 13 * FRI} fires on every 13th and on every Friday. A field that begins with
 * {@code *} does not count as restricted, so if one of the fields is {@code *}{@code /2}, a date
 * must match both. Other libraries differ: Spring always requires both fields to match, and Quartz
 * rejects expressions in which both are restricted and numbers the days of the week from 1
 * (Sunday).
 *
 * <p>The macros &#64;hourly, &#64;daily (or &#64;midnight), &#64;weekly (Sunday), &#64;monthly and
 * &#64;yearly (or &#64;annually) fire at the start of their period.
 *
 * <h2>Changes of the clocks</h2>
 *
 * <p>As in <a href="https://man7.org/linux/man-pages/man8/cron.8.html">cron(8)</a>, the behaviour
 * depends on the hours of the expression:
 *
 * <ul>
 *   <li>An expression that specifies hours fires <em>once for each local time</em>. If a local time
 *       is repeated, the expression fires the first time. If local times are skipped, it fires once
 *       for all of them, at the instant of the change. If a time of the expression falls on that
 *       instant, the expression still fires only once. If the times at the end of a date are
 *       skipped, the instant of the change is the following midnight. If a time zone skips an
 *       entire date, the expression does not fire for that date.
 *   <li>An expression that includes every hour ({@code *} or {@code 0-23}) fires <em>whenever the
 *       wall clock shows</em> one of its times. It fires in both passes of a repeated hour, and
 *       does not fire for local times that are skipped.
 * </ul>
 */
public final class CronTiming extends Timing {

  private static final LocalDate LAST_DATE =
      LocalDate.ofInstant(EnqueueOptions.LATEST, ZoneOffset.MAX);

  private final CronExpression expression;

  CronTiming(CronExpression expression, ZoneId zone, ExceptDates except) {
    super(zone, except);
    this.expression = expression;
  }

  /**
   * {@return the expression in upper case, with one space between its fields} {@link Timing#cron}
   * parses it to an equal expression. Expressions with different texts may have the same fire
   * times.
   */
  public String expression() {
    return expression.text();
  }

  @Override
  @Nullable Instant search(Instant after) {
    ZoneRules rules = zone().getRules();
    return expression.firesInEveryHour()
        ? searchElapsedTime(after, rules)
        : searchWallClock(after, rules);
  }

  private @Nullable Instant searchElapsedTime(Instant after, ZoneRules rules) {
    Instant from = after.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
    while (true) {
      ZoneOffset offset = rules.getOffset(from);
      LocalDateTime time = nextOrSame(LocalDateTime.ofInstant(from, offset));
      if (time == null) {
        return null;
      }
      Instant fire = time.toInstant(offset);
      ZoneOffsetTransition change = rules.nextTransition(from);
      if (change == null || fire.isBefore(change.getInstant())) {
        return fire;
      }
      from = change.getInstant();
    }
  }

  private @Nullable Instant searchWallClock(Instant after, ZoneRules rules) {
    LocalDateTime now = LocalDateTime.ofInstant(after, rules.getOffset(after));
    ZoneOffsetTransition change = rules.getTransition(now);
    LocalDateTime from = now.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
    if (change != null && !after.isBefore(change.getInstant())) {
      // This is the second pass of repeated times. All of them have fired in the first pass.
      from = change.getDateTimeBefore();
    }
    while (true) {
      LocalDateTime time = nextOrSame(from);
      if (time == null) {
        return null;
      }
      change = rules.getTransition(time);
      if (change == null) {
        return time.toInstant(rules.getOffset(time));
      }
      if (change.isOverlap()) {
        return time.toInstant(change.getOffsetBefore());
      }
      LocalDateTime nextDate = time.toLocalDate().plusDays(1).atStartOfDay();
      boolean dateExists =
          change.getDateTimeBefore().isAfter(time.toLocalDate().atStartOfDay())
              || change.getDateTimeAfter().isBefore(nextDate);
      if (dateExists) {
        return change.getInstant();
      }
      from = nextDate;
    }
  }

  private @Nullable LocalDateTime nextOrSame(LocalDateTime from) {
    return expression.nextOrSame(from, LAST_DATE, exceptions());
  }

  @Override
  Timing with(ZoneId zone, ExceptDates except) {
    return new CronTiming(expression, zone, except);
  }

  @Override
  public <R> R fold(Function<CronTiming, R> cron, Function<IntervalTiming, R> interval) {
    return cron.apply(this);
  }

  @Override
  String definition() {
    return expression.text();
  }
}
