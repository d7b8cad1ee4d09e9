package dev.skipjack.rivals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.benchmarks.Costs;
import dev.skipjack.benchmarks.Sample;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MeasureTest {

  @Test
  void aRatioWorseThanTheTargetMissesIt() {
    assertThat(Measure.ENQUEUE_1.isMissed("db-scheduler", 1.0)).isFalse();
    assertThat(Measure.ENQUEUE_1.isMissed("db-scheduler", 0.99)).isTrue();
    assertThat(Measure.PICKUP_CALL.isMissed("db-scheduler", 0.7)).isFalse();
    assertThat(Measure.PICKUP_CALL.isMissed("db-scheduler", 0.71)).isTrue();
    assertThat(Measure.PICKUP_P99.isMissed("db-scheduler", 9)).isFalse();
  }

  @Test
  void aTargetHoldsForOneLibrary() {
    assertThat(Measure.DRAIN.isMissed("graphile-worker", 1)).isTrue();
    assertThat(Measure.DRAIN.isMissed("db-scheduler", 1)).isFalse();
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
  void aFigureThatCannotBeMeasuredIsNull() {
    Sample sample = new Sample(7, new Costs(1, null, 2, 3), Map.of());

    assertThat(Measure.DRAIN_SERVER.of(sample)).isNull();
    assertThat(Measure.DRAIN_CLIENT.of(sample)).isEqualTo(2);
    assertThat(Measure.DRAIN.of(sample)).isEqualTo(7);
  }

  @Test
  void theTargetShowsItsDirection() {
    assertThat(Measure.DRAIN.target()).isEqualTo(">= 1.05 of graphile-worker");
    assertThat(Measure.STEADY_SERVER.target()).isEqualTo("<= 0.85 of db-scheduler");
    assertThat(Measure.STEADY_RATE.target()).isNull();
  }
}
