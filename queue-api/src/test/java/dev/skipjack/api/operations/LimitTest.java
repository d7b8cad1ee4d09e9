package dev.skipjack.api.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class LimitTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void aLimitHasTheGivenNumbers() {
    Rate rate = Rate.bucket(100, SECOND).burst(20);

    assertThat(Limit.none().running(50).runningPerGroup(3).rate(rate))
        .isEqualTo(new Limit(OptionalInt.of(50), OptionalInt.of(3), Optional.of(rate)));
    assertThat(Limit.none().rate(rate).maxRunning()).isEmpty();
    assertThat(Limit.none().running(5).running(0).maxRunning()).hasValue(0);
  }

  @Test
  void negativeNumbersAreRejected() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limit.none().running(-1))
        .withMessage(
            "Max running -1 is negative. Use 0 to prevent every start, or leave it out for no maximum.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limit.none().runningPerGroup(-2))
        .withMessageStartingWith("Max running per group -2 is negative.");
  }

  @Test
  void theBurstOfABucketIsItsCountUnlessItIsSet() {
    assertThat(Rate.bucket(100, SECOND).burst()).isEqualTo(100);
    assertThat(Rate.bucket(100, SECOND).burst(20).perGroup())
        .isEqualTo(new Rate(Rate.Kind.BUCKET, 100, SECOND, 20, true));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rate.sliding(100, SECOND).burst(20))
        .withMessage(
            "A rate of kind sliding has no burst, but 20 was given. Use Rate.bucket for bursts.");
    assertThat(Rate.fixed(5, SECOND).burst(5)).isEqualTo(Rate.fixed(5, SECOND));
  }

  @Test
  void ratesOutOfRangeAreRejected() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rate.sliding(0, SECOND))
        .withMessage(
            "Count 0 of a rate is not in 1..1000000. To stop all starts, use Limit.none().running(0).");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rate.bucket(1_000_001, SECOND))
        .withMessageStartingWith("Count 1000001 ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rate.bucket(5, SECOND).burst(0))
        .withMessageStartingWith("Burst 0 ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rate.fixed(1, Duration.ofNanos(999_999)))
        .withMessage("Period PT0.000999S of a rate is not in 1 ms..366 days.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rate.fixed(1, Duration.ofDays(366).plusMillis(1)))
        .withMessageContaining("is not in 1 ms..366 days.");
    assertThat(Rate.sliding(1, Duration.ofNanos(1_000_999)).period())
        .isEqualTo(Duration.ofMillis(1));
  }

  @Test
  void everyKindHasItsOwnLiteral() {
    for (Rate.Kind kind : Rate.Kind.values()) {
      assertThat(Rate.Kind.of(kind.literal())).isEqualTo(kind);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rate.Kind.of("leaky"))
        .withMessage("Rate kind 'leaky' is unknown. Use bucket, sliding or fixed.");
  }

  @Test
  void theSettingsOfAGroupHaveTheirRanges() {
    assertThat(GroupSettings.defaults()).isEqualTo(new GroupSettings(1, OptionalInt.empty()));
    assertThat(GroupSettings.defaults().maxRunning(10).weight(5))
        .isEqualTo(new GroupSettings(5, OptionalInt.of(10)));
    for (int weight : new int[] {0, 101}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> GroupSettings.defaults().weight(weight))
          .withMessage("Weight %d is not in 1..100. To stop the group, pause it.", weight);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GroupSettings.defaults().maxRunning(-1))
        .withMessageStartingWith("Max running -1 ");
  }
}
