package dev.skipjack.api.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

class CronProperties {

  @Property(tries = 5_000)
  void anyTextIsParsedOrRefusedWithAMessage(@ForAll("texts") String text) {
    Timing timing;
    try {
      timing = Timing.cron(text);
    } catch (IllegalArgumentException refused) {
      assertThat(refused.getClass()).isEqualTo(IllegalArgumentException.class);
      assertThat(refused).hasMessageStartingWith("Cron expression '");
      return;
    }
    String expression = timing.fold(CronTiming::expression, interval -> "");
    assertThat(Timing.cron(expression)).isEqualTo(timing).hasToString(expression + " (UTC)");
    assertThat(timing.next(Instant.EPOCH)).isPresent();
  }

  /** A schedule must advance, and must not skip a fire time that an earlier search found. */
  @Property
  void theNextFireIsTheFirstAfterAnyInstant(
      @ForAll("timings") Timing timing,
      @ForAll("instants") Instant after,
      @ForAll("waits") Duration wait) {
    Instant fire = timing.next(after).orElseThrow();
    Instant later = after.plus(wait);
    Instant fireAfterLater = timing.next(later).orElseThrow();

    assertThat(fire).isAfter(after);
    assertThat(fireAfterLater).isAfter(later).isAfterOrEqualTo(fire);
    if (fire.isAfter(later)) {
      assertThat(fireAfterLater).isEqualTo(fire);
    }
    assertThat(timing.next(fire.minusNanos(1))).contains(fire);
  }

  @Provide
  Arbitrary<String> texts() {
    Arbitrary<String> anything =
        Arbitraries.strings().withChars("0123456789*/,-?#LW \t@MONFRIJAnd\0ıß").ofMaxLength(30);
    Arbitrary<String> parts =
        Arbitraries.of(
                "*",
                "?",
                "1",
                "7",
                "31",
                "60",
                ",",
                "-",
                "/",
                "#",
                "L",
                "W",
                "MON",
                "feb",
                "LW",
                "FRIL",
                "*/2",
                "1-5",
                "15W",
                "L-3",
                "2#3",
                "",
                "-1",
                "99999999999",
                "\u0663")
            .list()
            .ofMinSize(1)
            .ofMaxSize(3)
            .map(each -> String.join("", each));
    Arbitrary<String> valid =
        Arbitraries.oneOf(
            CronExpressions.sixty(),
            CronExpressions.dayOfMonth(),
            CronExpressions.dayOfWeek(),
            CronExpressions.patternOfDayOfMonth(),
            CronExpressions.patternOfDayOfWeek());
    Arbitrary<String> fields =
        Arbitraries.frequencyOf(Tuple.of(1, parts), Tuple.of(4, valid))
            .list()
            .ofMinSize(4)
            .ofMaxSize(7)
            .map(each -> String.join(" ", each));
    return Arbitraries.oneOf(anything, fields);
  }

  @Provide
  Arbitrary<Timing> timings() {
    Arbitrary<Timing> timings =
        Arbitraries.of(
                "* * * * *",
                "0 * * * *",
                "7/20 * * * *",
                "30 2 * * *",
                "*/7 0-4,22-23 * * *",
                "15 10 1 * * *",
                "@daily",
                "0 0 L * *",
                "0 12 29 2 *",
                "0 3 * * SUN#2",
                "@weekly")
            .map(Timing::cron);
    return Combinators.combine(
            timings, Arbitraries.of(Zones.DISTINCT), Arbitraries.integers().between(0, 3))
        .as(
            (timing, zone, every) ->
                every == 0
                    ? timing.zone(zone)
                    : timing.zone(zone).except(date -> date.toEpochDay() % 4 == every));
  }

  @Provide
  Arbitrary<Instant> instants() {
    return CronExpressions.instants();
  }

  @Provide
  Arbitrary<Duration> waits() {
    return Arbitraries.longs().between(0, 200_000_000).map(Duration::ofMillis);
  }
}
