package dev.skipjack.api.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueOptions;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IntervalTimingTest {

  private static final Instant NOON = Instant.parse("2026-03-10T12:00:00Z");

  @Test
  void anAlignedIntervalFiresAtItsMultiples() {
    Timing timing = Timing.every(Duration.ofMinutes(5));

    assertThat(timing.next(NOON)).contains(NOON.plusSeconds(300));
    assertThat(timing.next(NOON.minusNanos(1))).contains(NOON);
    assertThat(timing.next(NOON.plusMillis(61_234))).contains(NOON.plusSeconds(300));
    assertThat(Timing.every(Duration.ofSeconds(7)).next(Instant.EPOCH))
        .contains(Instant.ofEpochSecond(7));
  }

  @Test
  void anIntervalFromTheLastFireIsCountedFromTheGivenInstant() {
    Timing timing = Timing.every(Duration.ofMinutes(5)).fromLastFire();
    Instant last = NOON.plusMillis(61_234);

    assertThat(timing.next(last)).contains(last.plusSeconds(300));
  }

  @Test
  void noChangeOfTheClocksAffectsAnInterval() {
    Timing hourly = Timing.every(Duration.ofHours(1)).zone("Europe/Berlin");

    assertThat(FireTimes.on(hourly, LocalDate.of(2026, 3, 29))).hasSize(23);
    assertThat(FireTimes.on(hourly, LocalDate.of(2026, 10, 25))).hasSize(25);
  }

  @Test
  void datesThatTheDatabaseWouldNotStoreAreRejected() {
    Timing daily = Timing.every(Duration.ofDays(1));

    assertThatThrownBy(() -> daily.except(List.of(LocalDate.of(10_000, 1, 1))))
        .hasMessage("Excluded date +10000-01-01 is not in the years 1..9999.");
    assertThatThrownBy(() -> daily.except(List.of(LocalDate.of(0, 1, 1))))
        .hasMessageContaining("0000-01-01");
    List<LocalDate> many =
        LocalDate.of(2026, 1, 1).datesUntil(LocalDate.of(2026, 1, 1).plusDays(10_001)).toList();
    assertThatThrownBy(() -> daily.except(many)).hasMessageContaining("at most 10,000");
    assertThat(daily.except(many.subList(0, 10_000)).exceptDates()).hasSize(10_000);
  }

  @Test
  void skippingFiresOnExceptedDatesDoesNotShiftLaterFires() {
    Timing aligned =
        Timing.every(Duration.ofHours(7))
            .zone("Asia/Tokyo")
            .except(List.of(LocalDate.of(2026, 3, 11)))
            .except(date -> date.getDayOfMonth() == 12);
    List<Instant> all =
        FireTimes.until(Timing.every(Duration.ofHours(7)), NOON, NOON.plus(Duration.ofDays(5)));
    List<Instant> left =
        all.stream()
            .filter(
                fire -> {
                  int day = LocalDate.ofInstant(fire, aligned.zone()).getDayOfMonth();
                  return day != 11 && day != 12;
                })
            .toList();

    assertThat(FireTimes.until(aligned, NOON, NOON.plus(Duration.ofDays(5))))
        .isEqualTo(left)
        .hasSizeLessThan(all.size());
  }

  @Test
  void exceptedDatesDoNotShiftFiresFromTheLastFire() {
    Timing timing =
        Timing.every(Duration.ofHours(5)).fromLastFire().except(List.of(LocalDate.of(2026, 3, 11)));
    Instant last = Instant.parse("2026-03-10T20:00:00.5Z");

    assertThat(timing.next(last)).contains(Instant.parse("2026-03-12T02:00:00.5Z"));
    assertThat(timing.next(Instant.parse("2026-03-10T22:00:00.5Z")))
        .contains(Instant.parse("2026-03-12T04:00:00.5Z"));
  }

  @Test
  void theOptionsMayComeInAnyOrder() {
    IntervalTiming timing = Timing.every(Duration.ofHours(5));
    List<LocalDate> dates = List.of(LocalDate.of(2026, 3, 11));
    Timing excepted = timing.zone("Asia/Tokyo").except(dates);

    assertThat(excepted.<Timing>fold(cron -> cron, IntervalTiming::fromLastFire))
        .isEqualTo(timing.fromLastFire().except(dates).zone("Asia/Tokyo"))
        .isNotEqualTo(excepted)
        .hasToString("every PT5H from the last planned time (Asia/Tokyo), except [2026-03-11]");
    assertThat(timing).hasToString("every PT5H (UTC)").isEqualTo(Timing.every(timing.interval()));
    assertThat(timing.isAligned()).isTrue();
    assertThat(timing.fromLastFire().isAligned()).isFalse();
  }

  /** In St John's, the clocks went back from 00:01 on the 7th to 23:01 on the 6th. */
  @Test
  void anExceptedDateMayBeginAgain() {
    Timing timing =
        Timing.every(Duration.ofMinutes(1))
            .zone("America/St_Johns")
            .except(List.of(LocalDate.of(2010, 11, 6)));

    assertThat(FireTimes.next(timing, Instant.parse("2010-11-06T12:00:00Z"), 3))
        .containsExactly(
            Instant.parse("2010-11-07T02:30:00Z"),
            Instant.parse("2010-11-07T03:30:00Z"),
            Instant.parse("2010-11-07T03:31:00Z"));
  }

  @Test
  void noFireIsFoundIfAllDatesAreExcepted() {
    assertThat(Timing.every(Duration.ofSeconds(1)).except(date -> true).next(NOON)).isEmpty();
  }

  @Test
  void firesAreBetweenTheEpochAndTheLatestInstantOfAJob() {
    IntervalTiming daily = Timing.every(Duration.ofDays(1));

    assertThat(daily.next(Instant.MIN)).contains(Instant.EPOCH);
    assertThat(daily.next(EnqueueOptions.LATEST.minusSeconds(1))).contains(EnqueueOptions.LATEST);
    assertThat(daily.next(EnqueueOptions.LATEST)).isEmpty();
    assertThat(
            Timing.every(EnqueueOptions.LONGEST_DELAY).fromLastFire().next(EnqueueOptions.LATEST))
        .isEmpty();
    assertThat(daily.fromLastFire().next(EnqueueOptions.LATEST.minusSeconds(1))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT0.5S", "PT-1S", "PT1.000001S", "PT876000H0.1S", "P36501D"})
  void anIntervalIsWholeSecondsWithinItsBounds(Duration interval) {
    assertThatThrownBy(() -> Timing.every(interval))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Interval %s must be whole seconds, from 1 s to 36500 days.".formatted(interval));
  }
}
