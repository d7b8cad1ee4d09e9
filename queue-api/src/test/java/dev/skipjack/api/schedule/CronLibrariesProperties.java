package dev.skipjack.api.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.springframework.scheduling.support.CronExpression;

/**
 * Compares the calculated fire times with those of Spring Framework and cron-utils. Where they
 * differ on purpose, a test demonstrates and explains the difference.
 */
class CronLibrariesProperties {

  /** The comparison ends early if Spring returns no fire time. */
  @Property
  void firesAreThoseOfSpring(
      @ForAll("springExpressions") String expression, @ForAll("instants") Instant after) {
    CronTiming timing = parse(expression);
    CronExpression spring = CronExpression.parse(expression);

    LocalDateTime time = LocalDateTime.ofInstant(after, ZoneOffset.UTC);
    for (Instant fire : FireTimes.next(timing, after, 5)) {
      time = spring.next(time);
      if (time == null) {
        return;
      }
      assertThat(fire).isEqualTo(time.toInstant(ZoneOffset.UTC));
    }
  }

  @Property
  void firesAreThoseOfCronUtils(
      @ForAll("unixExpressions") String expression, @ForAll("instants") Instant after) {
    CronTiming timing = parse(expression);
    ExecutionTime unix = unix(expression);

    ZonedDateTime time = after.atZone(ZoneOffset.UTC);
    for (Instant fire : FireTimes.next(timing, after, 5)) {
      time = unix.nextExecution(time).orElseThrow();
      assertThat(fire).isEqualTo(time.toInstant());
    }
  }

  @Property
  void firesAwayFromClockChangesAreThoseOfBothLibraries(
      @ForAll("minutesOfDay") String expression,
      @ForAll("zones") ZoneId zone,
      @ForAll("instants") Instant after) {
    ZoneOffsetTransition change = zone.getRules().nextTransition(after.minus(3, ChronoUnit.DAYS));
    Assume.that(change == null || change.getInstant().isAfter(after.plus(3, ChronoUnit.DAYS)));
    Timing timing = parse(expression).zone(zone);
    CronExpression spring = CronExpression.parse("0 " + expression);
    ExecutionTime unix = unix(expression);

    ZonedDateTime springTime = after.atZone(zone);
    ZonedDateTime unixTime = after.atZone(zone);
    List<Instant> fireTimes = FireTimes.until(timing, after, after.plus(36, ChronoUnit.HOURS));
    for (Instant fire : fireTimes.subList(0, Math.min(fireTimes.size(), 10))) {
      springTime = spring.next(springTime);
      unixTime = unix.nextExecution(unixTime).orElseThrow();
      assertThat(springTime).isNotNull();
      assertThat(fire).isEqualTo(springTime.toInstant()).isEqualTo(unixTime.toInstant());
    }
  }

  /**
   * Checks the fire times around clock changes against local times that Spring calculates without a
   * time zone.
   */
  @Property
  void firesInAZoneFollowItsWallClockOrElapsedTime(
      @ForAll("timesOfDay") String expression, @ForAll("zones") ZoneId zone, @ForAll int choice) {
    List<ZoneOffsetTransition> changes = Zones.changes(zone);
    ZoneOffsetTransition change = changes.get(Math.floorMod(choice, changes.size()));
    Instant begin = change.getInstant().minus(3, ChronoUnit.HOURS);
    Instant end = change.getInstant().plus(3, ChronoUnit.HOURS);
    CronTiming timing = parse(expression);
    boolean everyHour = hoursOf(expression).size() == 24;

    SortedSet<Instant> expected = new TreeSet<>();
    CronExpression spring = CronExpression.parse(expression);
    Duration repeated = change.getDuration().abs();
    LocalDateTime time = LocalDateTime.ofInstant(begin, zone).minus(repeated);
    LocalDateTime last = LocalDateTime.ofInstant(end, zone).plus(repeated);
    for (time = spring.next(time); time != null && time.isBefore(last); time = spring.next(time)) {
      List<ZoneOffset> offsets = zone.getRules().getValidOffsets(time);
      if (everyHour) {
        for (ZoneOffset offset : offsets) {
          expected.add(time.toInstant(offset));
        }
      } else if (!offsets.isEmpty()) {
        expected.add(time.toInstant(offsets.get(0)));
      } else if (Zones.exists(time.toLocalDate(), zone)) {
        expected.add(change.getInstant());
      }
    }

    assertThat(FireTimes.until(timing.zone(zone), begin, end))
        .containsExactlyElementsOf(expected.subSet(begin.plusNanos(1), end));
  }

  @Provide
  Arbitrary<String> springExpressions() {
    Arbitrary<String> everyDay = Arbitraries.of("*", "?");
    Arbitrary<String> days =
        Arbitraries.oneOf(
            Combinators.combine(
                    Arbitraries.oneOf(
                        CronExpressions.dayOfMonth(), CronExpressions.patternOfDayOfMonth()),
                    CronExpressions.month(),
                    everyDay)
                .as("%s %s %s"::formatted),
            Combinators.combine(
                    everyDay,
                    CronExpressions.month(),
                    Arbitraries.oneOf(
                        CronExpressions.dayOfWeek(), CronExpressions.patternOfDayOfWeek()))
                .as("%s %s %s"::formatted));
    return Combinators.combine(timesOfDay(), days)
        .as((times, day) -> times.substring(0, times.length() - "* * *".length()) + day);
  }

  @Provide
  Arbitrary<String> unixExpressions() {
    Arbitrary<String> days =
        Combinators.combine(
                CronExpressions.dayOfMonth(), CronExpressions.month(), CronExpressions.dayOfWeek())
            .filter((day, month, week) -> !day.startsWith("*/") || week.equals("*"))
            .as("%s %s %s"::formatted);
    return Combinators.combine(CronExpressions.sixty(), CronExpressions.hour(), days)
        .as("%s %s %s"::formatted);
  }

  @Provide
  Arbitrary<String> timesOfDay() {
    return Combinators.combine(
            Arbitraries.of("0", "30", "*/20"), CronExpressions.sixty(), CronExpressions.hour())
        .as("%s %s %s * * *"::formatted);
  }

  @Provide
  Arbitrary<String> minutesOfDay() {
    return Combinators.combine(CronExpressions.sixty(), CronExpressions.hour())
        .as("%s %s * * *"::formatted);
  }

  @Provide
  Arbitrary<Instant> instants() {
    return CronExpressions.instants();
  }

  @Provide
  Arbitrary<ZoneId> zones() {
    return Arbitraries.of(Zones.CHANGING);
  }

  /**
   * Both libraries omit a time that the clocks skip, so a daily job is missed once a year. Spring
   * fires twice at every time that the clocks repeat, cron-utils only at some of them. Skipjack
   * runs a daily job exactly once a day, as {@code cron(8)} does, even in Greenland, where Spring
   * skips the whole day. Times are UTC.
   */
  @Example
  void changesOfTheClocksAreHandledDifferently() {
    assertThat(
            Stream.of(
                    "30 2 * * *    | Europe/Berlin 2026-03-29 | 01:00       | -           | -",
                    "0 2,3 * * *   | Europe/Berlin 2026-03-29 | 01:00       | 01:00       | 01:00",
                    "30 2 * * *    | Europe/Berlin 2026-10-25 | 00:30       | 00:30 01:30 | 00:30",
                    "0 2,3 * * *   | Europe/Berlin 2026-10-25 | 00:00 02:00 | 00:00 01:00 02:00 | 00:00 01:00 02:00",
                    "0 0 * * *     | Asia/Beirut 2025-03-30   | 22:00       | -           | -",
                    "30 23 * * *   | Asia/Beirut 2025-10-25   | 20:30       | 20:30 21:30 | 20:30",
                    "30 12 * * *   | America/Nuuk 2026-03-28  | 14:30       | -           | 14:30",
                    "0 */12 * * *  | Asia/Beirut 2025-03-30   | 22:00 09:00 | 09:00       | 09:00")
                .map(row -> row.split(" *\\| *", -1))
                .filter(row -> !fireTimes(row[0], row[1]).equals(List.of(row).subList(2, 5))))
        .isEmpty();
  }

  /** Returns the fire times of Skipjack, Spring and cron-utils, in this order. */
  private static List<String> fireTimes(String expression, String zoneAndDate) {
    ZoneId zone = ZoneId.of(zoneAndDate.split(" ", -1)[0]);
    LocalDate date = LocalDate.parse(zoneAndDate.split(" ", -1)[1]);
    CronExpression spring = CronExpression.parse("0 " + expression);
    ExecutionTime unix = unix(expression);
    return List.of(
        fireTimes(
            date,
            zone,
            time -> parse(expression).zone(zone).next(time.toInstant()).orElseThrow().atZone(zone)),
        fireTimes(date, zone, time -> Objects.requireNonNull(spring.next(time))),
        fireTimes(date, zone, time -> unix.nextExecution(time).orElseThrow()));
  }

  private static String fireTimes(LocalDate date, ZoneId zone, UnaryOperator<ZonedDateTime> next) {
    String fireTimes =
        Stream.iterate(next.apply(date.atStartOfDay(zone).minusSeconds(1)), next)
            .takeWhile(time -> !time.toLocalDate().isAfter(date))
            .map(time -> time.withZoneSameInstant(ZoneOffset.UTC).toLocalTime().toString())
            .collect(Collectors.joining(" "));
    return fireTimes.isEmpty() ? "-" : fireTimes;
  }

  /**
   * As in crontab(5), if both day fields are restricted, either may match, unless one begins with
   * an asterisk. In Spring, both must match; in cron-utils, one is always enough.
   */
  @Example
  void twoRestrictedDayFieldsAreCombinedDifferently() {
    LocalDateTime newYear = LocalDateTime.of(2026, 1, 1, 0, 0);
    ZonedDateTime utc = newYear.atZone(ZoneOffset.UTC);

    assertThat(Timing.cron("0 0 13 * FRI").next(utc.toInstant()))
        .contains(Instant.parse("2026-01-02T00:00:00Z"));
    assertThat(unix("0 0 13 * FRI").nextExecution(utc)).contains(utc.withDayOfMonth(2));
    assertThat(CronExpression.parse("0 0 0 13 * FRI").next(newYear))
        .isEqualTo("2026-02-13T00:00:00");

    assertThat(Timing.cron("0 0 */2 * MON").next(utc.toInstant()))
        .contains(Instant.parse("2026-01-05T00:00:00Z"));
    assertThat(CronExpression.parse("0 0 0 */2 * MON").next(newYear))
        .isEqualTo("2026-01-05T00:00:00");
    assertThat(unix("0 0 */2 * MON").nextExecution(utc)).contains(utc.withDayOfMonth(3));
  }

  /** The week begins on Sunday in crontab, cron-utils and Skipjack, but on Monday in Spring. */
  @Example
  void springCountsTheStepsOfAWeekFromMonday() {
    LocalDateTime thursday = LocalDateTime.of(2026, 1, 1, 0, 0);

    assertThat(Timing.cron("0 0 * * */2").next(thursday.toInstant(ZoneOffset.UTC)))
        .contains(Instant.parse("2026-01-03T00:00:00Z"));
    assertThat(unix("0 0 * * */2").nextExecution(thursday.atZone(ZoneOffset.UTC)))
        .contains(thursday.withDayOfMonth(3).atZone(ZoneOffset.UTC));
    assertThat(CronExpression.parse("0 0 0 * * */2").next(thursday))
        .isEqualTo("2026-01-02T00:00:00");
  }

  /** Spring's results are wrong: one skips a fire time in May, and the other does not advance. */
  @Example
  void daysThatNotEveryMonthHasAreCalculatedDifferently() {
    Instant may = Instant.parse("2026-05-01T00:00:00Z");
    LocalDateTime local = LocalDateTime.ofInstant(may, ZoneOffset.UTC);

    assertThat(Timing.cron("0 0 31W * *").next(may))
        .contains(Instant.parse("2026-05-29T00:00:00Z"));
    assertThat(CronExpression.parse("0 0 0 31W * *").next(local)).isEqualTo("2026-07-31T00:00:00");

    LocalDateTime stays = LocalDateTime.of(2026, 1, 29, 0, 0);
    assertThat(Timing.cron("0 0 L-30 * *").next(stays.toInstant(ZoneOffset.UTC)))
        .contains(Instant.parse("2026-03-01T00:00:00Z"));
    assertThat(CronExpression.parse("0 0 0 L-30 * *").next(stays)).isEqualTo(stays);
  }

  /**
   * Both libraries accept expressions that never fire; Spring also accepts a step that is too
   * large.
   */
  @Example
  void expressionsThatAreMistakesAreRefused() {
    assertThatThrownBy(() -> Timing.cron("0 0 30 2 *")).hasMessageContaining("never fires");
    assertThat(CronExpression.parse("0 0 0 30 2 *").next(LocalDateTime.of(2026, 1, 1, 0, 0)))
        .isNull();
    assertThat(unix("0 0 30 2 *").nextExecution(ZonedDateTime.parse("2026-01-01T00:00:00Z")))
        .isEmpty();

    assertThatThrownBy(() -> Timing.cron("*/90 * * * *")).hasMessageContaining("90 is not in");
    assertThat(CronExpression.parse("0 */90 * * * *").toString()).contains("*/90");
  }

  private static CronTiming parse(String expression) {
    try {
      return Timing.cron(expression);
    } catch (IllegalArgumentException neverFires) {
      assertThat(neverFires).hasMessageContaining("never fires");
      Assume.that(false);
      throw neverFires;
    }
  }

  private static ExecutionTime unix(String expression) {
    return ExecutionTime.forCron(
        new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX))
            .parse(expression));
  }

  private static List<Integer> hoursOf(String expression) {
    CronExpression hourly =
        CronExpression.parse("0 0 %s * * *".formatted(expression.split(" ", -1)[2]));
    LocalDateTime begin = LocalDateTime.of(2026, 1, 1, 0, 0);
    List<Integer> hours = new ArrayList<>();
    for (LocalDateTime time = hourly.next(begin.minusSeconds(1));
        time != null && time.isBefore(begin.plusDays(1));
        time = hourly.next(time)) {
      hours.add(time.getHour());
    }
    return hours;
  }
}
