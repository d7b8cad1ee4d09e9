package dev.skipjack.api.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueOptions;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronTimingTest {

  private static final Instant NEW_YEAR = Instant.parse("2026-01-01T00:00:00Z");

  /** The year 2026 begins on a Thursday. Times are UTC. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # fields, lists, ranges and steps
          0 9 * * MON-FRI     | 2026-01-01T00:00:00Z | 01-01T09:00 01-02T09:00 01-05T09:00
          0 9 * * 1-5         | 2026-01-02T08:59:59Z | 01-02T09:00 01-05T09:00 01-06T09:00
          0 9 * * MON-FRI     | 2026-01-02T09:00:00Z | 01-05T09:00 01-06T09:00 01-07T09:00
          * * * * *           | 2026-01-01T00:00:00Z | 01-01T00:01 01-01T00:02 01-01T00:03
          */20 * * * *        | 2026-01-01T00:00:01Z | 01-01T00:20 01-01T00:40 01-01T01:00
          7/20 * * * *        | 2026-01-01T00:00:00Z | 01-01T00:07 01-01T00:27 01-01T00:47
          10-50/20 * * * *    | 2026-01-01T00:00:00Z | 01-01T00:10 01-01T00:30 01-01T00:50
          5,1,3 4 * * *       | 2026-01-01T04:01:00Z | 01-01T04:03 01-01T04:05 01-02T04:01
          59 23 31 12 *       | 2026-01-01T00:00:00Z | 2026-12-31T23:59 2027-12-31T23:59 2028-12-31T23:59
          30 22-23,0-1 * * *  | 2026-01-01T00:45:00Z | 01-01T01:30 01-01T22:30 01-01T23:30
          0 0 1 jan,Jul *     | 2026-01-01T00:00:00Z | 2026-07-01T00:00 2027-01-01T00:00 2027-07-01T00:00
          0 0 1 */4 *         | 2026-01-01T00:00:00Z | 2026-05-01T00:00 2026-09-01T00:00 2027-01-01T00:00
          0 0 1 DEC *         | 2026-01-31T00:00:00Z | 2026-12-01T00:00 2027-12-01T00:00 2028-12-01T00:00
          # six fields
          15 30 12 * * *      | 2026-01-01T12:30:14Z | 01-01T12:30:15 01-02T12:30:15 01-03T12:30:15
          */30 * * * * *      | 2026-01-01T23:59:29Z | 01-01T23:59:30 01-02T00:00 01-02T00:00:30
          59 59 23 * * *      | 2026-01-01T00:00:00Z | 01-01T23:59:59 01-02T23:59:59 01-03T23:59:59
          10 20 5-6 * * *     | 2026-01-01T05:20:10Z | 01-01T06:20:10 01-02T05:20:10 01-02T06:20:10
          10 20 5 * * *       | 2026-01-01T05:21:00Z | 01-02T05:20:10 01-03T05:20:10 01-04T05:20:10
          10 20,40 5 * * *    | 2026-01-01T05:20:11Z | 01-01T05:40:10 01-02T05:20:10 01-02T05:40:10
          # Sunday is 0 and 7
          0 0 * * 0           | 2026-01-01T00:00:00Z | 01-04T00:00 01-11T00:00 01-18T00:00
          0 0 * * 7           | 2026-01-01T00:00:00Z | 01-04T00:00 01-11T00:00 01-18T00:00
          0 0 * * sun         | 2026-01-01T00:00:00Z | 01-04T00:00 01-11T00:00 01-18T00:00
          0 0 * * SAT-SUN     | 2026-01-01T00:00:00Z | 01-03T00:00 01-04T00:00 01-10T00:00
          0 0 * * 6-7         | 2026-01-01T00:00:00Z | 01-03T00:00 01-04T00:00 01-10T00:00
          0 0 * * 7-2         | 2026-01-01T00:00:00Z | 01-04T00:00 01-05T00:00 01-06T00:00
          0 0 * * 7-7         | 2026-01-01T00:00:00Z | 01-04T00:00 01-11T00:00 01-18T00:00
          0 0 * * 0-7         | 2026-01-01T00:00:00Z | 01-02T00:00 01-03T00:00 01-04T00:00
          0 0 * * */3         | 2026-01-01T00:00:00Z | 01-03T00:00 01-04T00:00 01-07T00:00
          0 0 * * MON/2       | 2026-01-01T00:00:00Z | 01-02T00:00 01-04T00:00 01-05T00:00
          0 0 * * MON-SAT/2   | 2026-01-01T00:00:00Z | 01-02T00:00 01-05T00:00 01-07T00:00
          0 0 * * 7/2         | 2026-01-01T00:00:00Z | 01-04T00:00 01-11T00:00 01-18T00:00
          # last days and nearest weekdays
          0 0 L * *           | 2026-01-01T00:00:00Z | 01-31T00:00 02-28T00:00 03-31T00:00
          0 0 L 2 *           | 2027-03-01T00:00:00Z | 2028-02-29T00:00 2029-02-28T00:00 2030-02-28T00:00
          0 0 L-3 * *         | 2026-01-01T00:00:00Z | 01-28T00:00 02-25T00:00 03-28T00:00
          0 0 L-30 * *        | 2026-01-01T00:00:00Z | 03-01T00:00 05-01T00:00 07-01T00:00
          0 0 LW * *          | 2026-01-01T00:00:00Z | 01-30T00:00 02-27T00:00 03-31T00:00
          0 0 LW 5 *          | 2026-01-01T00:00:00Z | 2026-05-29T00:00 2027-05-31T00:00 2028-05-31T00:00
          0 0 15W * *         | 2026-01-16T00:00:00Z | 02-16T00:00 03-16T00:00 04-15T00:00
          0 0 14W * *         | 2026-02-01T00:00:00Z | 02-13T00:00 03-13T00:00 04-14T00:00
          0 0 1W * *          | 2026-01-02T00:00:00Z | 02-02T00:00 03-02T00:00 04-01T00:00
          0 0 1W 8 *          | 2026-01-02T00:00:00Z | 2026-08-03T00:00 2027-08-02T00:00 2028-08-01T00:00
          0 0 31W * *         | 2026-01-01T00:00:00Z | 01-30T00:00 03-31T00:00 05-29T00:00
          0 0 30W 8 *         | 2026-01-01T00:00:00Z | 2026-08-31T00:00 2027-08-30T00:00 2028-08-30T00:00
          0 0 1,L * *         | 2026-01-01T00:00:00Z | 01-31T00:00 02-01T00:00 02-28T00:00
          # last and n-th days of week
          0 0 * * FRIL        | 2026-01-01T00:00:00Z | 01-30T00:00 02-27T00:00 03-27T00:00
          0 0 * * SATL        | 2026-01-01T00:00:00Z | 01-31T00:00 02-28T00:00 03-28T00:00
          0 0 * * 5L          | 2026-01-01T00:00:00Z | 01-30T00:00 02-27T00:00 03-27T00:00
          0 0 * * 0L          | 2026-01-01T00:00:00Z | 01-25T00:00 02-22T00:00 03-29T00:00
          0 0 * * 7L          | 2026-01-01T00:00:00Z | 01-25T00:00 02-22T00:00 03-29T00:00
          0 0 * * MON#2       | 2026-01-01T00:00:00Z | 01-12T00:00 02-09T00:00 03-09T00:00
          0 0 * * THU#1       | 2025-12-31T00:00:00Z | 01-01T00:00 02-05T00:00 03-05T00:00
          0 0 * * 4#5         | 2026-01-01T00:00:00Z | 01-29T00:00 04-30T00:00 07-30T00:00
          0 0 * * 7#1,MON#3   | 2026-01-01T00:00:00Z | 01-04T00:00 01-19T00:00 02-01T00:00
          # both day fields: either, unless one begins with an asterisk
          0 0 13 * FRI        | 2026-02-12T00:00:00Z | 02-13T00:00 02-20T00:00 02-27T00:00
          0 0 1,15 * MON      | 2026-01-01T00:00:00Z | 01-05T00:00 01-12T00:00 01-15T00:00
          0 0 L * MON#1       | 2026-01-01T00:00:00Z | 01-05T00:00 01-31T00:00 02-02T00:00
          0 0 */2 * MON       | 2026-01-01T00:00:00Z | 01-05T00:00 01-19T00:00 02-09T00:00
          0 0 13 * */5        | 2026-01-01T00:00:00Z | 02-13T00:00 03-13T00:00 09-13T00:00
          0 0 13 * ?          | 2026-01-01T00:00:00Z | 01-13T00:00 02-13T00:00 03-13T00:00
          0 0 ? * MON         | 2026-01-01T00:00:00Z | 01-05T00:00 01-12T00:00 01-19T00:00
          0 0 ? * ?           | 2026-01-01T00:00:00Z | 01-02T00:00 01-03T00:00 01-04T00:00
          # rare dates
          0 0 29 2 *          | 2026-01-01T00:00:00Z | 2028-02-29T00:00 2032-02-29T00:00 2036-02-29T00:00
          0 0 29 2 *          | 2096-03-01T00:00:00Z | 2104-02-29T00:00 2108-02-29T00:00 2112-02-29T00:00
          0 0 29 2 */7        | 2026-01-01T00:00:00Z | 2032-02-29T00:00 2060-02-29T00:00 2088-02-29T00:00
          # macros
          @hourly             | 2026-01-01T00:00:00Z | 01-01T01:00 01-01T02:00 01-01T03:00
          @daily              | 2026-01-01T00:00:00Z | 01-02T00:00 01-03T00:00 01-04T00:00
          @midnight           | 2026-01-01T00:00:00Z | 01-02T00:00 01-03T00:00 01-04T00:00
          @weekly             | 2026-01-01T00:00:00Z | 01-04T00:00 01-11T00:00 01-18T00:00
          @Monthly            | 2026-01-01T00:00:00Z | 02-01T00:00 03-01T00:00 04-01T00:00
          @yearly             | 2026-01-01T00:00:00Z | 2027-01-01T00:00 2028-01-01T00:00 2029-01-01T00:00
          @annually           | 2026-01-01T00:00:00Z | 2027-01-01T00:00 2028-01-01T00:00 2029-01-01T00:00
          """)
  void firesAtTheNextTimes(String expression, Instant after, String expected) {
    List<Instant> times =
        Arrays.stream(expected.split(" ", -1)).map(CronTimingTest::instant).toList();

    assertThat(FireTimes.next(Timing.cron(expression), after, 3)).isEqualTo(times);
  }

  private static Instant instant(String time) {
    String dated = time.indexOf('-') == 4 ? time : "2026-" + time;
    return Instant.parse(dated + (dated.length() == "2026-01-01T00:00".length() ? ":00Z" : "Z"));
  }

  @Test
  void theNextFireIsStrictlyAfterTheInstant() {
    Timing timing = Timing.cron("* * * * * *");
    Instant nine = Instant.parse("2026-01-01T09:00:00Z");

    assertThat(timing.next(nine)).contains(nine.plusSeconds(1));
    assertThat(timing.next(nine.minusNanos(1))).contains(nine);
    assertThat(timing.next(nine.plusNanos(1))).contains(nine.plusSeconds(1));
  }

  @Test
  void theTimeZoneIsUtcUnlessOneIsGiven() {
    Timing timing = Timing.cron("0 9 * * *");

    assertThat(timing.zone().getId()).isEqualTo("UTC");
    assertThat(timing.zone("Europe/Berlin").next(NEW_YEAR))
        .contains(Instant.parse("2026-01-01T08:00:00Z"));
    assertThat(timing.zone("-03:30").next(NEW_YEAR))
        .contains(Instant.parse("2026-01-01T12:30:00Z"));
    assertThatThrownBy(() -> timing.zone("Europe/Berln"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Time zone 'Europe/Berln' is unknown. Use a name such as Europe/Berlin.");
  }

  @Test
  void exceptedDatesHaveNoFires() {
    Timing timing =
        Timing.cron("0 9,15 * * MON-FRI")
            .zone("America/New_York")
            .except(List.of(LocalDate.of(2026, 1, 1)))
            .except(List.of(LocalDate.of(2026, 1, 5)))
            .except(date -> date.getDayOfMonth() == 6);

    assertThat(FireTimes.next(timing, NEW_YEAR, 3))
        .containsExactly(
            Instant.parse("2026-01-02T14:00:00Z"),
            Instant.parse("2026-01-02T20:00:00Z"),
            Instant.parse("2026-01-07T14:00:00Z"));
    assertThat(timing.exceptDates())
        .containsExactly(LocalDate.of(2026, 1, 1), LocalDate.of(2026, 1, 5));
    assertThat(timing.hasExceptPredicate()).isTrue();
    assertThat(Timing.cron("0 9 * * *").except(List.of()).hasExceptPredicate()).isFalse();
  }

  /** In New York, it is still the 31st when the UTC date changes. */
  @Test
  void exceptedDatesAreThoseOfTheZone() {
    Timing hourly = Timing.cron("@hourly").zone("America/New_York");

    assertThat(hourly.except(List.of(LocalDate.of(2025, 12, 31))).next(NEW_YEAR))
        .contains(Instant.parse("2026-01-01T05:00:00Z"));
  }

  @Test
  void noFireIsFoundIfAllDatesAreExcepted() {
    assertThat(Timing.cron("* * * * * *").except(date -> true).next(NEW_YEAR)).isEmpty();
    assertThat(Timing.cron("0 12 * * *").except(date -> true).next(NEW_YEAR)).isEmpty();
  }

  @Test
  void firesAreBetweenTheEpochAndTheLatestInstantOfAJob() {
    Timing minutely = Timing.cron("* * * * *");

    for (Timing timing : List.of(minutely, Timing.cron("* 0-22 * * *").zone("+02:00"))) {
      assertThat(timing.next(Instant.MIN)).contains(Instant.EPOCH);
      assertThat(timing.next(Instant.MAX)).isEmpty();
      assertThat(timing.next(EnqueueOptions.LATEST)).isEmpty();
      assertThat(timing.next(EnqueueOptions.LATEST.minusNanos(1))).contains(EnqueueOptions.LATEST);
    }
    assertThat(Timing.cron("@yearly").zone("-18:00").next(EnqueueOptions.LATEST.minusSeconds(1)))
        .isEmpty();
  }

  @Test
  void theTextIsNormalizedAndParsesToTheSameTiming() {
    assertThat(Timing.cron("  0\t9 * *  mon-Fri ").expression()).isEqualTo("0 9 * * MON-FRI");
    assertThat(Timing.cron("@Daily").expression()).isEqualTo("@daily");

    Timing timing = Timing.cron("0 9 * * mon-fri").zone("Europe/Berlin");
    assertThat(timing)
        .isEqualTo(Timing.cron("0 9 * * MON-FRI").zone("Europe/Berlin"))
        .hasSameHashCodeAs(Timing.cron("0 9 * * MON-FRI").zone("Europe/Berlin"))
        .isNotEqualTo(Timing.cron("0 9 * * MON-FRI"))
        .isNotEqualTo(Timing.cron("0 9 * * 1-5").zone("Europe/Berlin"))
        .isNotEqualTo(timing.except(List.of(LocalDate.of(2026, 1, 1))))
        .isNotEqualTo(timing.except(date -> false))
        .hasToString("0 9 * * MON-FRI (Europe/Berlin)");
    assertThat(timing.except(List.of(LocalDate.of(2026, 1, 1))).except(date -> false))
        .hasToString("0 9 * * MON-FRI (Europe/Berlin), except [2026-01-01], except by predicate");
    assertThat(timing.<String>fold(CronTiming::expression, interval -> "interval"))
        .isEqualTo("0 9 * * MON-FRI");
  }

  @Test
  void aTimingDoesNotChangeWhenTheGivenDatesDo() {
    List<LocalDate> dates = new ArrayList<>(List.of(LocalDate.of(2026, 1, 2)));
    Timing timing = Timing.cron("0 0 * * *").except(dates);
    dates.clear();

    assertThat(timing.next(NEW_YEAR)).isEqualTo(Optional.of(Instant.parse("2026-01-03T00:00:00Z")));
    assertThatThrownBy(() -> timing.exceptDates().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
