package dev.skipjack.api.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationHistogramTest {

  @ParameterizedTest
  @CsvSource({
    "-5, 0",
    "0, 0",
    "999999, 0",
    "1000000, 1",
    "1999999, 1",
    "2000000, 2",
    "4000000, 3",
    "1000000000, 10",
    "4194303999999, 22",
    "4194304000000, 23",
    "9223372036854775807, 23"
  })
  void aDurationBelongsToOneRange(long nanos, int range) {
    assertThat(DurationHistogram.rangeOf(nanos)).isEqualTo(range);
  }

  @Test
  void percentilesLieInTheRangeOfTheirDuration() {
    DurationHistogram histogram = DurationHistogram.of(0, 0, 0, 50, 0, 0, 0, 50);

    assertThat(histogram.count()).isEqualTo(100);
    assertThat(histogram.percentile(0)).hasValue(Duration.ofMillis(4));
    assertThat(histogram.percentile(0.25)).hasValue(Duration.ofMillis(6));
    assertThat(histogram.percentile(0.5)).hasValue(Duration.ofMillis(8));
    assertThat(histogram.percentile(0.75)).hasValue(Duration.ofMillis(96));
    assertThat(histogram.percentile(1)).hasValue(Duration.ofMillis(128));
  }

  @Test
  void thereIsNoPercentileOfNothing() {
    assertThat(DurationHistogram.EMPTY.percentile(0.5)).isEmpty();
  }

  @Test
  void sumsAddEachRange() {
    assertThat(
            DurationHistogram.sum(List.of(DurationHistogram.of(1, 2), DurationHistogram.of(0, 3))))
        .isEqualTo(DurationHistogram.of(1, 5));
  }

  @Test
  void invalidNumbersAreRefused() {
    assertThatThrownBy(() -> DurationHistogram.of(-1)).hasMessageContaining("negative");
    assertThatThrownBy(() -> DurationHistogram.of(new long[25])).hasMessageContaining("24 ranges");
    assertThatThrownBy(() -> DurationHistogram.EMPTY.percentile(1.1)).hasMessageContaining("0..1");
  }
}
