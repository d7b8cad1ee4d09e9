package dev.skipjack.outbox.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpEndpointTest {

  private static final HttpEndpoint ENDPOINT =
      HttpEndpoint.of(URI.create("https://example.com/hooks"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ftp://example.com/        | scheme of the endpoint is 'ftp'
          /relative                 | scheme of the endpoint is ''
          https:///path             | no valid host
          https://under_score/      | no valid host
          https://a:b@example.com/  | contains credentials
          https://example.com/#part | has a fragment
          """)
  void uriThatCannotBeUsedIsRefused(String uri, String message) {
    assertThatThrownBy(() -> HttpEndpoint.of(URI.create(uri)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"c2VjcmV0", "whsec_not base 64!", "whsec_c2VjcmV0"})
  void secretOfAnotherFormIsRefusedWithoutShowingIt(String secret) {
    assertThatThrownBy(() -> ENDPOINT.secret(secret))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("secret")
        .hasMessageNotContaining(secret.replace("whsec_", ""))
        .hasNoCause();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Host", "content-type", "Webhook-Id", "skipjack-x", "traceparent", "a b", ""})
  void headerThatCannotBeSetIsRefused(String name) {
    assertThatThrownBy(() -> ENDPOINT.header(name, "value"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + name + "'");
  }

  @Test
  void headerValueWithALineBreakIsRefusedWithoutShowingIt() {
    assertThatThrownBy(() -> ENDPOINT.header("Authorization", "secret\r\nx: y"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'Authorization'")
        .hasMessageNotContaining("secret");
  }

  @Test
  void onlyTheHostIsShown() {
    assertThat(ENDPOINT).hasToString("example.com");
  }
}
