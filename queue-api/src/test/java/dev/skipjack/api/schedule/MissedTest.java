package dev.skipjack.api.schedule;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.schedule.Missed.Policy;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the maximum, which only one policy lets callers choose. */
class MissedTest {

  @ParameterizedTest
  @CsvSource({
    "ALL, 0, Maximum 0 of missed times is not in 1..10000.",
    "ALL, 10001, Maximum 10001 of missed times is not in 1..10000.",
    "ONCE, 2, 'Maximum 2 of missed times is not 1, which policy ONCE requires.'",
    "SKIP, 2, 'Maximum 2 of missed times is not 1, which policy SKIP requires.'"
  })
  void aMaximumThatThePolicyDoesNotAllowIsRefused(Policy policy, int maximum, String message) {
    assertThatThrownBy(() -> new Missed(policy, maximum))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
