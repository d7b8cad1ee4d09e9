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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadTest {

  record Order(long id, BigDecimal total, Instant at, List<String> tags) {}

  private static final PayloadLimits LIMITS = new PayloadLimits(PayloadLimits.LARGEST);

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
  @MethodSource("dev.skipjack.store.jooq.PayloadCorpus#textThatJsonbRefuses")
  void textThatJsonbRefusesIsRefusedBeforeAnySql(String json) {
    assertThatThrownBy(() -> LIMITS.require("k", json)).isInstanceOf(PayloadException.class);
  }

  @ParameterizedTest
  @MethodSource("dev.skipjack.store.jooq.PayloadCorpus#good")
  void goodTextPasses(String json) {
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

  /** Long before a stack is exhausted, wherever the depth comes from. */
  @ParameterizedTest
  @ValueSource(ints = {101, 5_000, 50_000})
  void deepTreesAreRefused(int depth) {
    Object tree = List.of();
    for (int i = 1; i < depth; i++) {
      tree = List.of(tree);
    }
    Object deep = tree;

    assertThatThrownBy(
            () ->
                new NewJobFactory(codec, LIMITS)
                    .create(JobType.of("k", Object.class), deep, UnaryOperator.identity()))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("nest")
        .hasMessageContaining("at '/0/0/0/0")
        .satisfies(refusal -> assertThat(refusal.getMessage()).hasSizeLessThan(700));
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
  void refusalsNameThePlaceAsAJsonPointer(String json, String message) {
    assertThatThrownBy(() -> LIMITS.require("k", json))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("Payload of kind 'k'")
        .hasMessageEndingWith(message);
  }

  @Test
  void longPlacesAreShortened() {
    String name = "n".repeat(200);
    String open = ("{\"" + name + "\":").repeat(100);

    assertThatThrownBy(() -> LIMITS.require("k", open + "\"\\u0000\"" + "}".repeat(100)))
        .hasMessageContaining("/" + "n".repeat(60) + ".../")
        .hasMessageEndingWith("/...'.")
        .satisfies(refusal -> assertThat(refusal.getMessage()).hasSizeLessThan(500));
  }

  @ParameterizedTest
  @MethodSource("dev.skipjack.store.jooq.PayloadCorpus#hugeNumbers")
  void hugeNumbersAreRefused(String json) {
    assertThatThrownBy(() -> LIMITS.require("k", json))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("digits");
  }

  @Test
  void numbersAreJudgedAsTheyWillBeWrittenOut() {
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
  @MethodSource("dev.skipjack.store.jooq.PayloadCorpus#noJson")
  void whatIsNoJsonIsRefusedWhateverTheCodec(String json) {
    assertThatThrownBy(() -> LIMITS.require("k", json))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("is not JSON");
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

    assertThatThrownBy(
            () ->
                new NewJobFactory(toNull, LIMITS).create(type, Map.of(), UnaryOperator.identity()))
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
    assertThat(System.getProperty("bomb")).as("set by Bomb, once it is initialized").isNull();
  }

  static final class Bomb {
    static {
      System.setProperty("bomb", "exploded");
    }
  }
}
