package dev.skipjack.outbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {

  @ParameterizedTest
  @CsvSource({"0, PT0S", "' 120 ', PT2M", "99999999999999999999, PT2147483647S"})
  void secondsAreRead(String value, Duration delay) {
    assertThat(RetryAfter.of(headers(Map.of("Retry-After", List.of(value))))).contains(delay);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "soon", "-5", "1.5", "Mon, 99 Jan 2024 10:00:00 GMT"})
  void invalidValueIsIgnored(String value) {
    assertThat(RetryAfter.of(headers(Map.of("Retry-After", List.of(value))))).isEmpty();
  }

  @Test
  void dateIsComparedWithTheDateOfTheResponse() {
    assertThat(
            RetryAfter.of(
                headers(
                    Map.of(
                        "Date", List.of("Mon, 01 Jan 2024 10:00:00 GMT"),
                        "Retry-After", List.of("Mon, 01 Jan 2024 10:05:00 GMT")))))
        .contains(Duration.ofMinutes(5));
  }

  @Test
  void dateInThePastMeansNow() {
    assertThat(
            RetryAfter.of(headers(Map.of("Retry-After", List.of("Mon, 01 Jan 2024 10:05:00 GMT")))))
        .contains(Duration.ZERO);
  }

  @Test
  void responseWithoutTheHeaderHasNoDelay() {
    assertThat(RetryAfter.of(headers(Map.of()))).isEmpty();
  }

  private static HttpHeaders headers(Map<String, List<String>> values) {
    return HttpHeaders.of(values, (name, value) -> true);
  }
}
