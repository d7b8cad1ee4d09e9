package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class LatenciesTest {

  private static final Offset<Double> A_THOUSANDTH = within(0.11);

  @Test
  void percentilesAreTold() {
    Latencies latencies = new Latencies();
    for (int millis = 1; millis <= 100; millis++) {
      latencies.add(millis * 1_000L);
    }
    assertThat(latencies.millis(50)).isCloseTo(50, A_THOUSANDTH);
    assertThat(latencies.millis(99)).isCloseTo(99, A_THOUSANDTH);
    assertThat(latencies.mostMillis()).isCloseTo(100, A_THOUSANDTH);
    assertThat(latencies.figures("a_"))
        .containsOnlyKeys("a_p50_ms", "a_p95_ms", "a_p99_ms", "a_max_ms");
  }

  @Test
  void whatLooksNegativeIsNothingAndWhatIsHugeIsKept() {
    Latencies latencies = new Latencies();
    latencies.add(-5);
    assertThat(latencies.mostMillis()).isZero();
    latencies.addNanos(Long.MAX_VALUE);
    assertThat(latencies.count()).isEqualTo(2);
    assertThat(latencies.mostMillis()).isGreaterThan(3_000_000);
  }

  @Test
  void ofNoneThereIsNothingToTell() {
    assertThat(new Latencies().figures("")).containsEntry("p99_ms", 0.0);
  }
}
