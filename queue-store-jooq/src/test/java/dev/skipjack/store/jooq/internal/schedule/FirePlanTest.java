package dev.skipjack.store.jooq.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests which fire times are enqueued when a schedule is due, on time or late. */
class FirePlanTest {

  private static final Instant NINE = Instant.parse("2026-03-02T09:00:00Z");
  private static final Timing HOURLY = Timing.cron("0 * * * *");

  private static FirePlan plan(Timing timing, Missed missed, Overlap overlap, Instant until) {
    return plan(timing, missed, overlap, NINE, until);
  }

  private static FirePlan plan(
      Timing timing, Missed missed, Overlap overlap, Instant planned, Instant until) {
    return plan(timing, missed, overlap, planned, planned.minusSeconds(1), until);
  }

  private static FirePlan plan(
      Timing timing,
      Missed missed,
      Overlap overlap,
      Instant planned,
      Instant after,
      Instant until) {
    return plan(timing, missed, overlap, planned, after, until, null);
  }

  private static FirePlan plan(
      Timing timing,
      Missed missed,
      Overlap overlap,
      Instant planned,
      Instant after,
      Instant until,
      @Nullable Instant missedUntil) {
    return FirePlan.of(
        new StoredSchedule.Definition(
            StoredTiming.of(timing),
            missed,
            overlap,
            Duration.ZERO,
            new StoredSchedule.Job("q", "k", "1", 1, null, null, List.of()),
            null,
            false),
        timing,
        planned,
        after,
        until,
        missedUntil);
  }

  private static Instant next(FirePlan plan) {
    return Objects.requireNonNull(plan.next());
  }

  private static Instant at(int hour) {
    return NINE.plus(Duration.ofHours(hour - 9));
  }

  static Stream<Arguments> rules() {
    Instant onTime = NINE.plusSeconds(1);
    Instant late = NINE.plus(Duration.ofMinutes(3));
    Instant threeMissed = at(12).plusSeconds(1);
    Instant fourMissed = at(12).plus(Duration.ofMinutes(3));
    return Stream.of(
        Arguments.of(Missed.skip(), Overlap.ALLOW, onTime, List.of(9), 10),
        Arguments.of(Missed.once(), Overlap.ALLOW, onTime, List.of(9), 10),
        Arguments.of(Missed.all(5), Overlap.ALLOW, onTime, List.of(9), 10),
        Arguments.of(Missed.skip(), Overlap.ALLOW, late, List.of(), 10),
        Arguments.of(Missed.once(), Overlap.ALLOW, late, List.of(9), 10),
        Arguments.of(Missed.all(5), Overlap.ALLOW, late, List.of(9), 10),
        Arguments.of(Missed.skip(), Overlap.ALLOW, threeMissed, List.of(12), 13),
        Arguments.of(Missed.skip(), Overlap.ALLOW, fourMissed, List.of(), 13),
        Arguments.of(Missed.once(), Overlap.ALLOW, fourMissed, List.of(12), 13),
        Arguments.of(Missed.all(5), Overlap.ALLOW, fourMissed, List.of(9, 10, 11, 12), 13),
        Arguments.of(Missed.all(2), Overlap.ALLOW, fourMissed, List.of(11, 12), 13),
        Arguments.of(Missed.all(2), Overlap.SKIP_WHILE_LIVE, fourMissed, List.of(11, 12), 13),
        Arguments.of(Missed.all(5), Overlap.CANCEL_PREVIOUS, fourMissed, List.of(12), 13),
        Arguments.of(Missed.skip(), Overlap.CANCEL_PREVIOUS, fourMissed, List.of(), 13));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void missedFiresFollowTheRule(
      Missed missed, Overlap overlap, Instant until, List<Integer> fires, int next) {
    FirePlan plan = plan(HOURLY, missed, overlap, until);

    assertThat(plan.fires()).containsExactlyElementsOf(fires.stream().map(it -> at(it)).toList());
    assertThat(plan.next()).isEqualTo(at(next));
  }

  @Test
  void manyMissedFiresComeInBatchesOldestFirst() {
    Instant until = NINE.plus(Duration.ofHours(1_000));

    FirePlan first = plan(HOURLY, Missed.all(250), Overlap.ALLOW, until);

    assertThat(first.fires())
        .isEqualTo(
            IntStream.range(0, FirePlan.LARGEST)
                .mapToObj(i -> until.minus(Duration.ofHours(249L - i)))
                .toList());
    FirePlan second = plan(HOURLY, Missed.all(250), Overlap.ALLOW, next(first), until);
    FirePlan third = plan(HOURLY, Missed.all(250), Overlap.ALLOW, next(second), until);
    assertThat(third.fires()).hasSize(50).endsWith(until);
    assertThat(third.next()).isEqualTo(until.plus(Duration.ofHours(1)));
  }

  /** The plan searches only for the latest of tens of millions of missed fire times. */
  @Test
  void aYearOfMissedSecondsIsPlannedAtOnce() {
    Instant until = NINE.plus(Duration.ofDays(365));

    FirePlan plan = plan(Timing.cron("* * * * * *"), Missed.all(10), Overlap.ALLOW, until);

    assertThat(plan.fires()).hasSize(10).endsWith(until).isSorted();
  }

  @Test
  void anIntervalFromTheLastFireMissesOneFireAndStartsAgainFromNow() {
    Timing timing = Timing.every(Duration.ofMinutes(5)).fromLastFire();
    Instant until = NINE.plus(Duration.ofMinutes(62));

    FirePlan all = plan(timing, Missed.all(10), Overlap.ALLOW, until);
    assertThat(all.fires()).containsExactly(NINE);
    assertThat(all.next()).isEqualTo(until.plus(Duration.ofMinutes(5)));

    FirePlan skipped = plan(timing, Missed.skip(), Overlap.ALLOW, until);
    assertThat(skipped.fires()).isEmpty();
    assertThat(skipped.next()).isEqualTo(until.plus(Duration.ofMinutes(5)));

    FirePlan onTime = plan(timing, Missed.skip(), Overlap.ALLOW, NINE.plusMillis(40));
    assertThat(onTime.fires()).containsExactly(NINE);
    assertThat(onTime.next()).isEqualTo(NINE.plus(Duration.ofMinutes(5)));
  }

  /** The rules of the time zone have changed since the time was planned. */
  @Test
  void plannedTimeThatIsNoLongerAFireTimeIsNotFired() {
    FirePlan plan =
        plan(Timing.cron("30 9 * * *"), Missed.once(), Overlap.ALLOW, NINE, NINE.plusSeconds(1));

    assertThat(plan.fires()).isEmpty();
    assertThat(plan.next()).isEqualTo(NINE.plus(Duration.ofMinutes(30)));
  }

  /**
   * The new rules of the time zone move the fire time to an earlier hour, in which no worker ran.
   */
  @Test
  void aFireTimeThatNewRulesMakeEarlierIsFired() {
    Timing eight = Timing.cron("0 8 * * *");

    FirePlan plan =
        plan(eight, Missed.once(), Overlap.ALLOW, NINE, at(9 - 24), NINE.plusSeconds(1));
    assertThat(plan.fires()).containsExactly(at(8));
    assertThat(plan.next()).isEqualTo(at(8 + 24));

    // The schedule was changed while its planned time was overdue. That time is no longer a fire
    // time.
    FirePlan changedLater =
        plan(HOURLY, Missed.all(9), Overlap.ALLOW, NINE.plusSeconds(7), at(12), at(12));
    assertThat(changedLater.fires()).containsExactly(at(10), at(11), at(12));

    FirePlan firedAlready =
        plan(eight, Missed.once(), Overlap.ALLOW, NINE, at(8), NINE.plusSeconds(1));
    assertThat(firedAlready.fires()).isEmpty();
    assertThat(firedAlready.next()).isEqualTo(at(8 + 24));
  }

  /** A predicate may exclude the date. It is not called when the time is planned. */
  @Test
  void anIntervalFromTheLastFireDoesNotFireOnAnExceptedDate() {
    Timing timing =
        Timing.every(Duration.ofHours(6))
            .fromLastFire()
            .except(date -> date.equals(LocalDate.of(2026, 3, 2)));

    FirePlan onTime = plan(timing, Missed.once(), Overlap.ALLOW, NINE.plusSeconds(1));
    assertThat(onTime.fires()).isEmpty();
    assertThat(onTime.next()).isEqualTo(at(27));

    FirePlan late = plan(timing, Missed.once(), Overlap.ALLOW, at(28));
    assertThat(late.fires()).containsExactly(at(27));
    assertThat(late.next()).isEqualTo(at(33));

    Timing century = Timing.every(Duration.ofDays(36_500)).fromLastFire();
    assertThat(plan(century, Missed.once(), Overlap.ALLOW, NINE.plusSeconds(1)).fires())
        .containsExactly(NINE);
  }

  /** An operator may have changed the times of a row in SQL. */
  @Test
  void afterAPauseTheNextTimeIsLaterThanTheTimesBeforeIt() {
    FirePlan plan = plan(HOURLY, Missed.all(9), Overlap.ALLOW, NINE, at(8), at(20), at(11));
    assertThat(plan.fires()).containsExactly(at(9), at(10), at(11));
    assertThat(plan.next()).isEqualTo(at(12));

    FirePlan nothingLeft =
        plan(HOURLY, Missed.all(9), Overlap.ALLOW, at(12), at(8), at(13), at(11));
    assertThat(nothingLeft.fires()).containsExactly(at(12), at(13));
  }

  @Test
  void aScheduleWithoutAFurtherFireEnds() {
    Timing ended = HOURLY.except(date -> date.getYear() >= 2026);

    FirePlan plan = plan(ended, Missed.once(), Overlap.ALLOW, NINE.plusSeconds(1));

    assertThat(plan.fires()).isEmpty();
    assertThat(plan.next()).isNull();
  }
}
