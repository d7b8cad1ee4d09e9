package dev.skipjack.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import java.util.random.RandomGenerator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;

class BackoffProperties {

  @Property
  void everyBackoffStaysInItsRange(
      @ForAll("backoffs") Backoff backoff, @ForAll int attempt, @ForAll Random random) {
    assertThat(backoff.after(attempt, random)).isBetween(Duration.ZERO, Backoff.LONGEST);
  }

  @Property
  void jitterShortensByAtMostItsRatio(
      @ForAll @DoubleRange(min = 0, max = 1) double ratio, @ForAll Random random) {
    Duration wait = Backoff.fixed(Duration.ofSeconds(100)).jitter(ratio).after(1, random);

    assertThat(wait.toNanos())
        .isBetween((long) (100_000_000_000L * (1 - ratio)) - 1, 100_000_000_000L);
  }

  @Property
  void clampChangesOnlyWaitsOutOfRange(@ForAll long seconds) {
    Duration clamped = Backoff.clamp(Duration.ofSeconds(seconds));

    assertThat(clamped).isBetween(Duration.ZERO, Backoff.LONGEST);
    if (seconds >= 0 && seconds <= Backoff.LONGEST.toSeconds()) {
      assertThat(clamped).hasSeconds(seconds);
    }
  }

  @Example
  void exponentialDoublesAndLinearAdds() {
    RandomGenerator random = new Random(1);
    Backoff exponential = Backoff.exponential(Duration.ofSeconds(3));
    Backoff linear = Backoff.linear(Duration.ofSeconds(3));

    assertThat(exponential.after(1, random)).hasSeconds(3);
    assertThat(exponential.after(4, random)).hasSeconds(24);
    assertThat(linear.after(4, random)).hasSeconds(12);
    assertThat(exponential.atMost(Duration.ofSeconds(10)).after(4, random)).hasSeconds(10);
  }

  /** {@link Backoff#standard} documents these figures. */
  @Example
  void theStandardBackoffGoesFrom15SecondsToADayAndIsThreeQuartersRandom() {
    RandomGenerator random = new Random(1);

    for (int i = 0; i < 1_000; i++) {
      assertThat(Backoff.standard().after(1, random))
          .isBetween(Duration.ofMillis(3_750), Duration.ofSeconds(15));
      assertThat(Backoff.standard().after(2, random))
          .isBetween(Duration.ofMillis(7_500), Duration.ofSeconds(30));
      assertThat(Backoff.standard().after(100, random))
          .isBetween(Duration.ofHours(6), Duration.ofDays(1));
    }
  }

  @Example
  void refusesNegativeWaitsAndImpossibleRatios() {
    assertThatThrownBy(() -> Backoff.fixed(Duration.ofSeconds(-1))).hasMessageContaining("PT-1S");
    assertThatThrownBy(() -> Backoff.standard().jitter(1.1)).hasMessageContaining("1.1");
    assertThatThrownBy(() -> Backoff.standard().jitter(Double.NaN)).hasMessageContaining("NaN");
  }

  @Provide
  Arbitrary<Backoff> backoffs() {
    Arbitrary<Duration> waits =
        Arbitraries.longs().between(0, Long.MAX_VALUE).map(Duration::ofSeconds);
    Arbitrary<Backoff> plain =
        waits.flatMap(
            wait ->
                Arbitraries.of(
                    Backoff.exponential(wait), Backoff.linear(wait), Backoff.fixed(wait)));
    return Combinators.combine(plain, Arbitraries.doubles().between(0, 1))
        .as((backoff, ratio) -> backoff.jitter(ratio));
  }
}
