package dev.skipjack.api.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/**
 * Checks the fire times around every clock change in every time zone of the JDK, from 1970 to 2037.
 * All other days of a zone are equivalent; {@link CronLibrariesProperties} samples them.
 */
class AllZonesTest {

  private final List<String> wrong = new ArrayList<>();

  /** A date that a zone skips has no fire time. */
  @Test
  void aDailyScheduleFiresOnceForEachDate() {
    atEachChange(
        (zone, change) -> {
          for (LocalTime time : timesAround(change)) {
            checkFires(zone, change, time, "*");
          }
        });
  }

  @Test
  void aWeeklyScheduleFiresOnceForEachOfItsDates() {
    atEachChange(
        (zone, change) -> {
          int day = change.getDateTimeBefore().getDayOfWeek().getValue();
          checkFires(zone, change, change.getDateTimeBefore().toLocalTime(), String.valueOf(day));
          checkFires(zone, change, LocalTime.of(2, 30), String.valueOf(day % 7 + 1));
        });
  }

  @Test
  void anHourlyScheduleFiresWheneverTheClockShowsItsMinute() {
    atEachChange(
        (zone, change) -> {
          Instant begin = change.getInstant().minus(3, ChronoUnit.HOURS);
          Instant end = change.getInstant().plus(3, ChronoUnit.HOURS);
          for (int minute : List.of(0, 40)) {
            Timing hourly = Timing.cron(minute + " * * * *").zone(zone);
            List<Instant> fireTimes = FireTimes.until(hourly, begin, end);
            if (!fireTimes.equals(instantsOfMinute(minute, zone, begin, end))) {
              wrong.add("%s %s minute %d: %s".formatted(zone, change, minute, fireTimes));
            }
          }
        });
  }

  private void atEachChange(BiConsumer<ZoneId, ZoneOffsetTransition> check) {
    int changes = 0;
    for (ZoneId zone : Zones.CHANGING) {
      for (ZoneOffsetTransition change : Zones.changes(zone)) {
        check.accept(zone, change);
        changes++;
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(changes).isGreaterThan(10_000);
  }

  private void checkFires(
      ZoneId zone, ZoneOffsetTransition change, LocalTime time, String dayOfWeek) {
    Timing timing =
        Timing.cron(
                "%d %d %d * * %s"
                    .formatted(time.getSecond(), time.getMinute(), time.getHour(), dayOfWeek))
            .zone(zone);
    Map<LocalDate, Integer> fireTimes = new TreeMap<>();
    Instant begin = change.getInstant().minus(2, ChronoUnit.DAYS);
    Instant end = change.getInstant().plus(2, ChronoUnit.DAYS);
    for (Instant fire : FireTimes.until(timing, begin, end)) {
      fireTimes.merge(dateOf(fire, zone, time, change), 1, Integer::sum);
    }
    LocalDate first = change.getDateTimeBefore().toLocalDate().minusDays(1);
    LocalDate afterLast = change.getDateTimeAfter().toLocalDate().plusDays(2);
    for (LocalDate date = first; date.isBefore(afterLast); date = date.plusDays(1)) {
      boolean fits =
          dayOfWeek.equals("*") || Integer.parseInt(dayOfWeek) == date.getDayOfWeek().getValue();
      int expected = fits && Zones.exists(date, zone) ? 1 : 0;
      int actual = fireTimes.getOrDefault(date, 0);
      if (actual != expected) {
        wrong.add("%s %s on %s: %d".formatted(timing, time, date, actual));
      }
    }
  }

  /**
   * Returns the local date for which a timing fired: either at the given time or, if that time
   * falls into a gap, at the end of the gap.
   */
  private static LocalDate dateOf(
      Instant fire, ZoneId zone, LocalTime time, ZoneOffsetTransition change) {
    LocalDateTime shown = LocalDateTime.ofInstant(fire, zone);
    if (shown.toLocalTime().equals(time)) {
      return shown.toLocalDate();
    }
    assertThat(change.isGap() && fire.equals(change.getInstant()))
        .as("%s %s: %s", zone, time, fire)
        .isTrue();
    LocalDate date = change.getDateTimeBefore().toLocalDate();
    return date.atTime(time).isBefore(change.getDateTimeBefore()) ? date.plusDays(1) : date;
  }

  private static Set<LocalTime> timesAround(ZoneOffsetTransition change) {
    LocalTime before = change.getDateTimeBefore().toLocalTime();
    LocalTime after = change.getDateTimeAfter().toLocalTime();
    Duration half = change.getDuration().dividedBy(2).truncatedTo(ChronoUnit.SECONDS);
    return Set.copyOf(
        List.of(
            before.minusSeconds(1),
            before,
            before.plus(half),
            after.minusSeconds(1),
            after,
            LocalTime.MIDNIGHT));
  }

  private static List<Instant> instantsOfMinute(
      int minute, ZoneId zone, Instant begin, Instant end) {
    SortedSet<Instant> instants = new TreeSet<>();
    LocalDateTime first =
        LocalDateTime.ofInstant(begin, ZoneOffset.MIN)
            .truncatedTo(ChronoUnit.HOURS)
            .withMinute(minute);
    LocalDateTime last = LocalDateTime.ofInstant(end, ZoneOffset.MAX);
    for (LocalDateTime time = first; time.isBefore(last); time = time.plusHours(1)) {
      for (ZoneOffset offset : zone.getRules().getValidOffsets(time)) {
        instants.add(time.toInstant(offset));
      }
    }
    return List.copyOf(instants.subSet(begin.plusNanos(1), end));
  }
}
