package dev.skipjack.rivals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.benchmarks.Costs;
import dev.skipjack.benchmarks.Sample;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MeasureTest {

  @Test
  void aRatioOnTheBadSideOfTheTargetMissesIt() {
    assertThat(Measure.ENQUEUE_1.isMissed(1.3)).isFalse();
    assertThat(Measure.ENQUEUE_1.isMissed(1.29)).isTrue();
    assertThat(Measure.PICKUP.isMissed(0.8)).isFalse();
    assertThat(Measure.PICKUP.isMissed(0.81)).isTrue();
    assertThat(Measure.PICKUP_P99.isMissed(9)).isFalse();
  }

  @Test
  void theBetterFigureIsTheHigherRateAndTheLowerCost() {
    assertThat(Measure.DRAIN.better(1.0, 2.0)).isEqualTo(2);
    assertThat(Measure.DRAIN_SERVER.better(1.0, 2.0)).isEqualTo(1);
    assertThat(Measure.DRAIN_SERVER.better(null, 2.0)).isEqualTo(2);
    assertThat(Measure.DRAIN_SERVER.better(2.0, null)).isEqualTo(2);
    assertThat(Measure.DRAIN_SERVER.better(null, null)).isNull();
  }

  @Test
  void aFigureThatTheSystemDoesNotShowIsNull() {
    Sample sample = new Sample(7, new Costs(1, null, 2, 3), Map.of());

    assertThat(Measure.DRAIN_SERVER.of(sample)).isNull();
    assertThat(Measure.DRAIN_CLIENT.of(sample)).isEqualTo(2);
    assertThat(Measure.DRAIN.of(sample)).isEqualTo(7);
  }

  @Test
  void theTargetShowsItsDirection() {
    assertThat(Measure.DRAIN.target()).isEqualTo(">= 6.0");
    assertThat(Measure.STEADY_SERVER.target()).isEqualTo("<= 0.65");
    assertThat(Measure.STEADY_RATE.target()).isNull();
  }
}
