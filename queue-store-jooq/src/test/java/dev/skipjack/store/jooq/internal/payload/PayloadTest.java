package dev.skipjack.store.jooq.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PayloadTest {

  private static final PayloadLimits LIMITS = new PayloadLimits(PayloadLimits.LARGEST);

  private final PayloadCodec codec = new JacksonCodec();

  @ParameterizedTest
  @MethodSource("dev.skipjack.store.jooq.internal.payload.PayloadCorpus#textThatJsonbRefuses")
  void textThatJsonbRefusesIsRefusedBeforeAnySql(String json) {
    assertThatThrownBy(() -> LIMITS.require("k", json)).isInstanceOf(PayloadException.class);
  }

  @ParameterizedTest
  @MethodSource("dev.skipjack.store.jooq.internal.payload.PayloadCorpus#good")
  void validTextIsAccepted(String json) {
    assertThat(LIMITS.require("k", json)).isEqualTo(json);
  }

  @Test
  void sizeIsCountedInBytesAndExactAtTheLimit() {
    String fits = "\"" + "x".repeat(PayloadLimits.LARGEST - 2) + "\"";

    assertThatCode(() -> LIMITS.require("k", fits)).doesNotThrowAnyException();
    assertThatThrownBy(() -> LIMITS.require("k", fits.replaceFirst("x", "ü")))
        .hasMessageContaining("262,145");
  }

  @Test
  void sizeLimitIsConfigurableFromOneKibibyteToSixteenMebibytes() {
    String json = "\"" + "x".repeat(1_022) + "\"";

    assertThat(new PayloadLimits(1_024).require("k", json)).isEqualTo(json);
    assertThatThrownBy(() -> new PayloadLimits(1_024).require("k", json + " "))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("1,025 bytes; 1,024 are allowed");
    assertThatCode(() -> new PayloadLimits(16 << 20)).doesNotThrowAnyException();
    assertThatThrownBy(() -> new PayloadLimits(1_023))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1,023");
    assertThatThrownBy(() -> new PayloadLimits((16 << 20) + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void depthIsLimited() {
    assertThatCode(() -> LIMITS.require("k", "[".repeat(100) + "]".repeat(100)))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> LIMITS.require("k", "[".repeat(101) + "]".repeat(101)))
        .hasMessageContaining("deeper than 100");
    assertThatThrownBy(() -> LIMITS.require("k", "[".repeat(100_000)))
        .hasMessageContaining("deeper than 100");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"items\":[1,2,{},{\"id\":1,\"name\":\"x\\u0000\"}]} | holds U+0000, at '/items/3/name'.",
        "[[],[{\"a/b\":{\"m~n\":\"\\ud800\"}}]] | holds a lone surrogate, at '/1/0/a~1b/m~0n'.",
        "{\"ok\":1,\"in\":{\"x\\u0000\":1}} | holds U+0000, at a name in '/in'.",
        "{\"x\\u0000\":1} | holds U+0000, at a name in the top level.",
        "\"\\u0000\" | holds U+0000, at the top level.",
        "{\"line\\nbreak\":\"\\u0000\"} | at '/line\uFFFDbreak'.",
        "{\"a\":[1e400]} | at '/a/0'.",
        "{\"a\":[1,]} | is not JSON, at '/a/1'."
      })
  void rejectionsNameThePositionAsAJsonPointer(String json, String message) {
    assertThatThrownBy(() -> LIMITS.require("k", json))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("Payload of kind 'k'")
        .hasMessageEndingWith(message);
  }

  @Test
  void longPositionsAreShortened() {
    String name = "n".repeat(200);
    String open = ("{\"" + name + "\":").repeat(100);

    assertThatThrownBy(() -> LIMITS.require("k", open + "\"\\u0000\"" + "}".repeat(100)))
        .hasMessageContaining("/" + "n".repeat(60) + ".../")
        .hasMessageEndingWith("/...'.")
        .satisfies(refusal -> assertThat(refusal.getMessage()).hasSizeLessThan(500));
  }

  @ParameterizedTest
  @MethodSource("dev.skipjack.store.jooq.internal.payload.PayloadCorpus#hugeNumbers")
  void hugeNumbersAreRefused(String json) {
    assertThatThrownBy(() -> LIMITS.require("k", json))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("digits");
  }

  @Test
  void numbersAreCheckedAsTheServerWritesThem() {
    String digits = "9".repeat(309);

    assertThat(LIMITS.require("k", digits)).isEqualTo(digits);
    assertThatThrownBy(() -> LIMITS.require("k", digits + "0")).hasMessageContaining("digits");
    assertThat(codec.decode(digits + "." + "9".repeat(1_000), BigDecimal.class).precision())
        .isEqualTo(1_309);
    for (double each : new double[] {Double.MAX_VALUE, -Double.MIN_VALUE, Double.MIN_NORMAL}) {
      assertThat(LIMITS.require("k", codec.encode(each))).isNotEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.skipjack.store.jooq.internal.payload.PayloadCorpus#noJson")
  void textThatIsNotJsonIsRefusedWhateverTheCodec(String json) {
    assertThatThrownBy(() -> LIMITS.require("k", json))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("is not JSON");
  }
}
