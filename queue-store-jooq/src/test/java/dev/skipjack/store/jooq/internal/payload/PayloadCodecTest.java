package dev.skipjack.store.jooq.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import java.math.BigDecimal;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the contract of every codec that comes with the queue. Add a new codec to {@link #codecs}.
 */
class PayloadCodecTest {

  record Order(long id, BigDecimal total, Instant at, List<String> tags) {}

  /** No codec can create an instance of an interface. */
  interface Unreadable {}

  private static final PayloadLimits LIMITS = new PayloadLimits(PayloadLimits.LARGEST);

  static Stream<PayloadCodec> codecs() {
    return Stream.of(new JacksonCodec());
  }

  /** The architecture test keeps all codecs in this package. */
  @Test
  void everyCodecOfTheStoreIsTestedHere() throws URISyntaxException {
    URL main = Objects.requireNonNull(JacksonCodec.class.getResource("JacksonCodec.class"));
    List<String> implementations =
        new ClassFileImporter()
            .importPath(Path.of(main.toURI()).resolveSibling("")).stream()
                .filter(type -> type.isAssignableTo(PayloadCodec.class))
                .map(JavaClass::getName)
                .toList();

    assertThat(codecs().map(codec -> codec.getClass().getName()))
        .containsExactlyInAnyOrderElementsOf(implementations);
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void recordsMakeTheRoundTrip(PayloadCodec codec) {
    Order order =
        new Order(
            42,
            new BigDecimal("12.340"),
            Instant.parse("2026-11-21T10:00:00Z"),
            List.of("a", "日本"));

    String json = codec.encode(order);

    assertThat(LIMITS.require("order", json)).isEqualTo(json);
    assertThat(codec.decode(json, Order.class)).isEqualTo(order);
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void numbersKeepAllTheirDigits(PayloadCodec codec) {
    BigDecimal greatest = new BigDecimal("9".repeat(309) + "." + "9".repeat(1_000));

    assertThat(codec.decode(greatest.toPlainString(), BigDecimal.class)).isEqualTo(greatest);
    assertThat((Object) codec.decode("{\"n\":0.1000}", Map.class))
        .isEqualTo(Map.of("n", new BigDecimal("0.1000")));
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void fieldsOfANewerProducerAreIgnored(PayloadCodec codec) {
    assertThat(codec.decode("{\"id\":1,\"new\":{}}", Order.class).id()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void aPayloadThatDoesNotFitIsRefusedWithoutQuotingIt(PayloadCodec codec) {
    for (String json : List.of("", "{", "[]", "{\"id\":\"secret\"}", "{\"id\":1} trailing")) {
      assertThatThrownBy(() -> codec.decode(json, Order.class))
          .isInstanceOf(PayloadException.class)
          .hasMessageContaining("Order")
          .hasMessageNotContaining("secret");
    }
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void aClassThatCannotBeReadIsRefusedBeforeTheFirstJob(PayloadCodec codec) {
    assertThatThrownBy(() -> codec.requireReadable(Unreadable.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("Unreadable");
  }

  /** Class names in a payload are plain text; the classes are never loaded. */
  @ParameterizedTest
  @MethodSource("codecs")
  void classNamesInPayloadsAreNotLoaded(PayloadCodec codec) {
    String bomb = PayloadCodecTest.class.getName() + "$Bomb";

    assertThat(codec.decode("{\"@class\":\"" + bomb + "\",\"id\":3}", Order.class).id())
        .isEqualTo(3);
    assertThat(codec.decode("[\"" + bomb + "\",{}]", Object.class)).isInstanceOf(List.class);
    assertThat(System.getProperty("bomb")).as("set by Bomb, once it is initialized").isNull();
  }

  static final class Bomb {
    static {
      System.setProperty("bomb", "exploded");
    }
  }
}
