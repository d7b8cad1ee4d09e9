package dev.skipjack.api.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeadersTest {

  @Test
  void headersAreReadAsTheyWereWritten() {
    Map<String, String> headers =
        Map.of("a", "", "b|c", "\"\\/{}:, ", "d", "\u00e9\u20ac\uD83D\uDE00", "e", "=");

    assertThat(Headers.parse(Headers.text(headers))).isEqualTo(headers);
    assertThat(Headers.text(Map.of())).isNull();
    assertThat(Headers.parse(null)).isEmpty();
  }

  @Test
  void anyJsonObjectOfStringsIsRead() {
    assertThat(Headers.parse(" { } ")).isEmpty();
    assertThat(
            Headers.parse(
                "\t{\"a\":\"\\b\\f\\n\\r\\t\\/\\\\\\\"\" ,\r\n\"\\u00e9\" : \"\\uD83D\\uDE00\"}"))
        .isEqualTo(Map.of("a", "\b\f\n\r\t/\\\"", "\u00e9", "\uD83D\uDE00"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "null",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1}",
        "{\"a\":null}",
        "{\"a\":{}}",
        "{\"a\":\"b\"",
        "{\"a\":\"b\",}",
        "{\"a\":\"b\"]",
        "{\"a\":\"b\"}}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\\u12",
        "{\"a\":\"b"
      })
  void anythingElseIsRefused(String json) {
    assertThatThrownBy(() -> Headers.parse(json))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Headers are not a JSON object of strings, at character ");
  }

  @Test
  void headersThatSkipjackSetsAreNotInherited() {
    Map<String, String> own = Map.of("tenant", "a");

    assertThat(Headers.withoutReserved(own)).isSameAs(own);
    assertThat(
            Headers.withoutReserved(
                Headers.withReserved(own, Headers.SCHEDULE, "daily@2026-01-01T00:00:00Z")))
        .isEqualTo(own);
  }
}
