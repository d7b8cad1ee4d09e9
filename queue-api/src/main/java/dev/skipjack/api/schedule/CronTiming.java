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
 * Fires at the times of a cron expression.
 *
 * <h2>Syntax</h2>
 *
 * <p>Five fields: minute (0-59), hour (0-23), day of month (1-31), month (1-12 or JAN-DEC), day of
 * week (0-7 or SUN-SAT; 0 and 7 are Sunday). With six fields, the second (0-59) comes first; with
 * five it is 0. Names may be written in any case. In each field:
 *
 * <ul>
 *   <li>{@code *} every value; {@code 1,15} a list; {@code 9-17} a range; {@code *}{@code /15} and
 *       {@code 9-17/2} every n-th value of a range; {@code 5/15} from 5 to the end of the field. A
 *       range that runs backwards is refused, as by crontab and Spring: write {@code 22-23,0-6}.
 *   <li>Day of month: {@code L} the last day; {@code L-3} three days before it; {@code 15W} the
 *       weekday (Monday to Friday) nearest to the 15th within the month; {@code LW} the last
 *       weekday. A month without that day is skipped.
 *   <li>Day of week: {@code FRIL} or {@code 5L} the last Friday of the month; {@code MON#2} the
 *       second Monday. Steps of {@code *} count from Sunday; {@code MON/2} runs to the Sunday
 *       after.
 *   <li>{@code ?} the same as {@code *}, in both day fields.
 * </ul>
 *
 * <p>If both day fields are restricted, a date needs to match <em>one</em> of them, as in <a
 * href="https://man7.org/linux/man-pages/man5/crontab.5.html">crontab(5)</a> and POSIX: {@code 0 0
 * 13 * FRI} fires on each 13th and on each Friday. A field that begins with {@code *} is not
 * restricted: with {@code *}{@code /2} a date needs to match both. Spring requires both to match in
 * every case, Quartz refuses two restricted fields, and Quartz counts its days of week from 1,
 * Sunday.
 *
 * <p>The macros &#64;hourly, &#64;daily (or &#64;midnight), &#64;weekly (Sunday), &#64;monthly and
 * &#64;yearly (or &#64;annually) fire at the start of the period.
 *
 * <h2>Changes of the clocks</h2>
 *
 * <p>As in <a href="https://man7.org/linux/man-pages/man8/cron.8.html">cron(8)</a>, an expression
 * follows either the wall clock or elapsed time:
 *
 * <ul>
 *   <li>An expression that names hours fires <em>once for each time of the wall clock</em>. A time
 *       that is repeated counts when it comes first. A time that is skipped counts at the instant
 *       of the change; all times that are skipped together, and a time that begins there, are one
 *       fire. If times are skipped at the end of a date, that instant is the midnight after it. A
 *       date that the zone skips altogether has no fires.
 *   <li>An expression that fires in every hour ({@code *} or {@code 0-23}) fires <em>whenever the
 *       wall clock shows</em> one of its times: in both passes of repeated hours, and not for times
 *       that are skipped.
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
   * The expression in upper case, with one space between its fields; {@link Timing#cron} parses it
   * to the same timing. Two expressions with the same times may differ in their text.
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
      // This is the second pass of repeated times, and all of them have fired in the first.
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
