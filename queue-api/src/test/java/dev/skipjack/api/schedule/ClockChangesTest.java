package dev.skipjack.api.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the fire times on days on which the clocks change. {@link CronTiming} documents the rules.
 */
class ClockChangesTest {

  /**
   * In Berlin, the clocks skip 02:00 to 03:00 on 2026-03-29, so 01:00 UTC is 03:00. On 2026-10-25,
   * they repeat 02:00 to 03:00, so the hour begins at 00:00 UTC and again at 01:00 UTC.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          30 2 * * *        | 01:00             | 00:30
          0 2 * * *         | 01:00             | 00:00
          0 3 * * *         | 01:00             | 02:00
          59 1 * * *        | 00:59             | 23:59
          0,30 2 * * *      | 01:00             | 00:00 00:30
          30 2,3 * * *      | 01:00 01:30       | 00:30 02:30
          0 2,3 * * *       | 01:00             | 00:00 02:00
          0 */2 * 3,10 SUN  | 23:00 01:00 02:00 04:00 06:00 08:00 10:00 12:00 14:00 16:00 18:00 20:00 | 22:00 00:00 03:00 05:00 07:00 09:00 11:00 13:00 15:00 17:00 19:00 21:00
          15/30 1-3 * * *   | 00:15 00:45 01:00 01:15 01:45 | 23:15 23:45 00:15 00:45 02:15 02:45
          15 30 2 * * *     | 01:00             | 00:30:15
          """)
  void anExpressionThatSpecifiesHoursFollowsTheWallClock(
      String expression, String spring, String autumn) {
    Timing timing = Timing.cron(expression).zone("Europe/Berlin");

    assertThat(times(timing, LocalDate.of(2026, 3, 29))).isEqualTo(spring);
    assertThat(times(timing, LocalDate.of(2026, 10, 25))).isEqualTo(autumn);
  }

  @ParameterizedTest
  @CsvSource({
    "0 * * * *, 23, 25",
    "7 0-23 * * *, 23, 25",
    "*/15 * * * *, 92, 100",
    "0 */10 * * * *, 138, 150",
    "59 59 * * * *, 23, 25",
    // For comparison, these expressions do not include every hour.
    "*/15 0-4 * * *, 16, 20",
    "0 0-22 * * *, 22, 23",
  })
  void anExpressionThatFiresInEveryHourFollowsElapsedTime(
      String expression, int spring, int autumn) {
    Timing timing = Timing.cron(expression).zone("Europe/Berlin");

    assertThat(FireTimes.on(timing, LocalDate.of(2026, 3, 29))).hasSize(spring);
    assertThat(FireTimes.on(timing, LocalDate.of(2026, 10, 25))).hasSize(autumn);
  }

  @Test
  void skippedTimesOfTwoExpressionsFireAtTheSameInstant() {
    Instant before = Instant.parse("2026-03-29T00:00:00Z");

    assertThat(Timing.cron("10 2 * * *").zone("Europe/Berlin").next(before))
        .isEqualTo(Timing.cron("50 2 * * *").zone("Europe/Berlin").next(before));
  }

  /** The calculation may start at any instant, even in a repeated hour or at the change itself. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          30 2 * * *   | 2026-03-29T00:59:59Z | 2026-03-29T01:00:00Z
          30 2 * * *   | 2026-03-29T01:00:00Z | 2026-03-30T00:30:00Z
          30 2 * * *   | 2026-03-29T01:00:01Z | 2026-03-30T00:30:00Z
          30 2 * * *   | 2026-10-25T00:29:59Z | 2026-10-25T00:30:00Z
          30 2 * * *   | 2026-10-25T00:30:00Z | 2026-10-26T01:30:00Z
          30 2 * * *   | 2026-10-25T01:00:00Z | 2026-10-26T01:30:00Z
          30 2 * * *   | 2026-10-25T01:15:00Z | 2026-10-26T01:30:00Z
          30 2 * * *   | 2026-10-25T01:45:00Z | 2026-10-26T01:30:00Z
          30 2,3 * * * | 2026-10-25T01:15:00Z | 2026-10-25T02:30:00Z
          0 3 * * *    | 2026-10-25T00:59:59Z | 2026-10-25T02:00:00Z
          0 3 * * *    | 2026-10-25T01:59:59.999Z | 2026-10-25T02:00:00Z
          0 * * * *    | 2026-10-25T00:00:00Z | 2026-10-25T01:00:00Z
          30 * * * *   | 2026-10-25T00:30:00Z | 2026-10-25T01:30:00Z
          30 * * * *   | 2026-03-29T00:30:00Z | 2026-03-29T01:30:00Z
          0 * 1 1 *    | 2026-10-25T00:30:00Z | 2026-12-31T23:00:00Z
          """)
  void theNextFireAfterAnyInstantIsFound(String expression, Instant after, Instant expected) {
    assertThat(Timing.cron(expression).zone("Europe/Berlin").next(after)).contains(expected);
  }

  /** On Lord Howe Island, the clocks change by half an hour, at 02:00. */
  @Test
  void aChangeMayBeShorterThanAnHour() {
    Timing hourly = Timing.cron("0 * * * *").zone("Australia/Lord_Howe");
    Timing daily = Timing.cron("15 2 * * *").zone("Australia/Lord_Howe");

    assertThat(times(daily, LocalDate.of(2026, 10, 4))).isEqualTo("15:30");
    assertThat(FireTimes.on(hourly, LocalDate.of(2026, 10, 4))).hasSize(23);
    assertThat(FireTimes.on(hourly, LocalDate.of(2026, 4, 5))).hasSize(24);
    assertThat(
            times(Timing.cron("45 1 * * *").zone("Australia/Lord_Howe"), LocalDate.of(2026, 4, 5)))
        .isEqualTo("14:45");
  }

  /**
   * In Beirut, the clocks go forward at midnight in spring, and from midnight back to 23:00 in
   * autumn.
   */
  @Test
  void aChangeMayBeAtMidnight() {
    Timing midnight = Timing.cron("@daily").zone("Asia/Beirut");
    Timing late = Timing.cron("30 23 * * *").zone("Asia/Beirut");

    assertThat(FireTimes.on(midnight, LocalDate.of(2025, 3, 30)))
        .containsExactly(Instant.parse("2025-03-29T22:00:00Z"));
    assertThat(FireTimes.on(midnight, LocalDate.of(2025, 10, 26)))
        .containsExactly(Instant.parse("2025-10-25T22:00:00Z"));
    assertThat(FireTimes.on(late, LocalDate.of(2025, 10, 25)))
        .containsExactly(Instant.parse("2025-10-25T20:30:00Z"));
  }

  /** In Greenland, the clocks go forward from 23:00 on Saturday to 00:00 on Sunday. */
  @Test
  void aTimeThatIsSkippedAtTheEndOfADateFiresAtMidnight() {
    Timing late = Timing.cron("30 23 * * *").zone("America/Nuuk");
    Timing midnight = Timing.cron("0 0 * * *").zone("America/Nuuk");
    Timing both = Timing.cron("*/30 0,23 * * *").zone("America/Nuuk");
    Instant change = Instant.parse("2026-03-29T01:00:00Z");

    assertThat(FireTimes.next(late, change.minusSeconds(3_600), 2))
        .containsExactly(change, Instant.parse("2026-03-30T00:30:00Z"));
    assertThat(FireTimes.next(midnight, change.minusSeconds(3_600), 2))
        .containsExactly(change, Instant.parse("2026-03-30T01:00:00Z"));
    assertThat(FireTimes.next(both, change.minusSeconds(3_600), 2))
        .containsExactly(change, change.plusSeconds(1_800));
    assertThat(late.except(List.of(LocalDate.of(2026, 3, 28))).next(change.minusSeconds(3_600)))
        .contains(Instant.parse("2026-03-30T00:30:00Z"));
  }

  /** In Samoa, 2011-12-29 was followed by 2011-12-31. */
  @Test
  void aDateThatTheZoneSkipsHasNoFires() {
    Timing daily = Timing.cron("30 2 * * *").zone("Pacific/Apia");
    Timing onThe30th = Timing.cron("30 2 30 12 *").zone("Pacific/Apia");
    Instant before = Instant.parse("2011-12-29T00:00:00Z");

    assertThat(FireTimes.next(daily, before, 3))
        .containsExactly(
            Instant.parse("2011-12-29T12:30:00Z"),
            Instant.parse("2011-12-30T12:30:00Z"),
            Instant.parse("2011-12-31T12:30:00Z"));
    assertThat(onThe30th.next(before)).contains(Instant.parse("2012-12-29T12:30:00Z"));
  }

  @Test
  void anExceptedDateHasNoMovedFire() {
    Timing timing =
        Timing.cron("30 2 * * *").zone("Europe/Berlin").except(List.of(LocalDate.of(2026, 3, 29)));

    assertThat(timing.next(Instant.parse("2026-03-28T12:00:00Z")))
        .contains(Instant.parse("2026-03-30T00:30:00Z"));
  }

  private static String times(Timing timing, LocalDate date) {
    return FireTimes.on(timing, date).stream()
        .map(fire -> fire.toString().replaceAll(".*T|(:00)?Z", ""))
        .collect(Collectors.joining(" "));
  }
}
