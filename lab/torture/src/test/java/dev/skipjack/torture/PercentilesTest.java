package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PercentilesTest {

  @Test
  void percentilesAreNearestRanks() {
    List<Long> hundred = LongStream.rangeClosed(1, 100).map(n -> 101 - n).boxed().toList();

    assertThat(Percentiles.of(hundred, 0.50)).isEqualTo(50);
    assertThat(Percentiles.of(hundred, 0.99)).isEqualTo(99);
    assertThat(Percentiles.of(hundred, 1)).isEqualTo(100);
    assertThat(Percentiles.of(List.of(5L, 3L, 4L), 0.99)).isEqualTo(5);
    assertThat(Percentiles.of(List.of(), 0.99)).isZero();
  }
}
