package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadTest {

  record Order(long id, BigDecimal total, Instant at, List<String> tags) {}

  private final PayloadCodec codec = new JacksonCodec();

  @Test
  void recordsMakeTheRoundTrip() {
    Order order =
        new Order(
            42,
            new BigDecimal("12.340"),
            Instant.parse("2026-11-21T10:00:00Z"),
            List.of("a", "日本"));

    assertThat(codec.decode(codec.encode(order), Order.class)).isEqualTo(order);
  }

  @Test
  void aNewerProducersFieldsAreIgnored() {
    assertThat(codec.decode("{\"id\":1,\"new\":{}}", Order.class).id()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[]", "{\"id\":\"secret\"}", "{\"id\":1} trailing"})
  void whatDoesNotFitIsRefusedWithoutQuotingIt(String json) {
    assertThatThrownBy(() -> codec.decode(json, Order.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("Order")
        .hasMessageNotContaining("secret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\\udc00x\"",
        "\"\\ud800\\ud800\"",
        "{\"a\\u0000\":1}",
        "\"\uD800\""
      })
  void textThatJsonbRefusesIsRefusedBeforeAnySql(String json) {
    assertThatThrownBy(() -> PayloadLimits.require("k", json)).isInstanceOf(PayloadException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"\\\\u0000\"",
        "\"\\ud83d\\ude00\"",
        "\"\uD83D\uDE00\"",
        "\"a\\\"b\\\\\"",
        "{\"a\":[1,{\"b\":null}]}"
      })
  void goodTextPasses(String json) {
    assertThat(PayloadLimits.require("k", json)).isEqualTo(json);
  }

  @Test
  void sizeIsCountedInBytesAndExactAtTheLimit() {
    String fits = "\"" + "x".repeat(PayloadLimits.LARGEST - 2) + "\"";

    assertThatCode(() -> PayloadLimits.require("k", fits)).doesNotThrowAnyException();
    assertThatThrownBy(() -> PayloadLimits.require("k", fits.replaceFirst("x", "ü")))
        .hasMessageContaining("262,145");
  }

  @Test
  void depthIsLimited() {
    assertThatCode(() -> PayloadLimits.require("k", "[".repeat(100) + "]".repeat(100)))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> PayloadLimits.require("k", "[".repeat(101) + "]".repeat(101)))
        .hasMessageContaining("deeper than 100");
  }

  @Test
  void nullIsNoPayload() {
    PayloadCodec toNull =
        new PayloadCodec() {
          @Override
          public String encode(Object payload) {
            return "null";
          }

          @Override
          public <T> T decode(String json, Class<T> payloadClass) {
            throw new AssertionError();
          }
        };
    JobType<Object> type = JobType.of("k", Object.class);

    assertThatThrownBy(() -> new JobDrafts(toNull).draft(type, Map.of(), UnaryOperator.identity()))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("null");
  }

  /** Class names in a payload are text, never looked up. */
  @Test
  void classNamesInPayloadsAreNotLoaded() {
    assertThat(
            codec
                .decode(
                    "{\"@class\":\"dev.skipjack.store.jooq.PayloadTest$Bomb\",\"id\":3}",
                    Order.class)
                .id())
        .isEqualTo(3);
    assertThat(codec.decode("[\"dev.skipjack.store.jooq.PayloadTest$Bomb\",{}]", Object.class))
        .isInstanceOf(List.class);
  }

  static final class Bomb {
    static {
      System.setProperty("bomb", "exploded");
    }
  }
}
