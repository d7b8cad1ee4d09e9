package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class LatenciesTest {

  private static final Offset<Double> PRECISION = within(0.11);

  @Test
  void percentilesAreReportedInMilliseconds() {
    Latencies latencies = new Latencies();
    for (int millis = 1; millis <= 100; millis++) {
      latencies.add(millis * 1_000L);
    }
    assertThat(latencies.millis(50)).isCloseTo(50, PRECISION);
    assertThat(latencies.millis(99)).isCloseTo(99, PRECISION);
    assertThat(latencies.maxMillis()).isCloseTo(100, PRECISION);
    assertThat(latencies.figures("a_"))
        .containsOnlyKeys("a_p50_ms", "a_p95_ms", "a_p99_ms", "a_max_ms");
  }

  @Test
  void negativeTimesCountAsZeroAndHugeTimesAreCapped() {
    Latencies latencies = new Latencies();
    latencies.add(-5);
    assertThat(latencies.maxMillis()).isZero();
    latencies.addNanos(Long.MAX_VALUE);
    assertThat(latencies.count()).isEqualTo(2);
    assertThat(latencies.maxMillis()).isGreaterThan(3_000_000);
  }

  @Test
  void percentilesAreZeroIfNothingIsRecorded() {
    assertThat(new Latencies().figures("")).containsEntry("p99_ms", 0.0);
  }
}
