package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatisticsTest {

  @Test
  void medianIsTheMiddleValue() {
    assertThat(Statistics.median(List.of(9.0))).isEqualTo(9);
    assertThat(Statistics.median(List.of(9.0, 1.0, 2.0))).isEqualTo(2);
    assertThat(Statistics.median(List.of(9.0, 1.0, 2.0, 4.0))).isEqualTo(3);
    assertThatThrownBy(() -> Statistics.median(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void minAndMaxDoNotDependOnTheOrder() {
    assertThat(Statistics.min(List.of(3.0, 1.0, 2.0))).isEqualTo(1);
    assertThat(Statistics.max(List.of(1.0, 3.0, 2.0))).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "0.123456, 0.1235",
    "1.23456, 1.235",
    "99.996, 100",
    "41234.56, 41235",
    "-1.23456, -1.235",
    "0.00012345, 0.0001235"
  })
  void valuesAreRoundedToFourSignificantDigits(double value, double rounded) {
    assertThat(Statistics.rounded(value)).isEqualTo(rounded);
  }

  @Test
  void ratiosCompareRunsOfTheSameRound() {
    Rounds.Results results =
        new Rounds.Results(Map.of("ours", samples(10, 40, 90), "floor", samples(20, 50, 100)));
    assertThat(results.ratios("ours", "floor")).containsExactly(0.5, 0.8, 0.9);
  }

  @Test
  void firstRoundIsDiscardedAndTheOrderRotates() throws Exception {
    StringBuilder order = new StringBuilder();
    Rounds.Results results =
        new Rounds(1, 3, 8, note -> {})
            .variant("a", seconds -> recordOrder(order, "a", seconds))
            .variant("b", seconds -> recordOrder(order, "b", seconds))
            .run();
    assertThat(order).hasToString("a4b4 b8a8 a8b8 b8a8".replace(" ", ""));
    assertThat(results.values("a")).containsExactly(8.0, 8.0, 8.0);
  }

  private static Sample recordOrder(StringBuilder order, String variant, double seconds) {
    order.append(variant).append((int) seconds);
    return samples(seconds).get(0);
  }

  private static List<Sample> samples(double... values) {
    return Arrays.stream(values)
        .mapToObj(value -> new Sample(value, new Costs(1, null, 1, 1), Map.of()))
        .toList();
  }
}
