package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The tests that every {@link PayloadCodec} must pass. To test a codec, extend this class and
 * implement {@link #codec}.
 *
 * <pre>{@code
 * class MyCodecTest extends PayloadCodecContract {
 *   @Override
 *   protected PayloadCodec codec() {
 *     return new MyCodec();
 *   }
 * }
 * }</pre>
 */
public abstract class PayloadCodecContract {

  private record Order(long id, BigDecimal total, Instant at, List<String> tags) {}

  /** No codec can create an instance of an interface. */
  private interface Unreadable {}

  private static final Order ORDER =
      new Order(
          42, new BigDecimal("12.340"), Instant.parse("2026-11-21T10:00:00Z"), List.of("a", "日本"));

  /** Constructor for subclasses. */
  protected PayloadCodecContract() {}

  /** {@return the codec to test} */
  protected abstract PayloadCodec codec();

  @Test
  void recordsMakeTheRoundTrip() {
    assertThat(codec().decode(codec().encode(ORDER), Order.class)).isEqualTo(ORDER);
  }

  /** Operators read instants and numbers in the table, and SQL functions write them. */
  @Test
  void instantsAreIso8601Texts() {
    assertThat(codec().encode(ORDER)).contains("\"at\":\"2026-11-21T10:00:00Z\"");
  }

  @Test
  void numbersKeepAllTheirDigits() {
    BigDecimal greatest = new BigDecimal("9".repeat(309) + "." + "9".repeat(1_000));

    assertThat(codec().decode(greatest.toPlainString(), BigDecimal.class)).isEqualTo(greatest);
    assertThat((Object) codec().decode("{\"n\":0.1000}", Map.class))
        .isEqualTo(Map.of("n", new BigDecimal("0.1000")));
  }

  @Test
  void fieldsOfANewerProducerAreIgnored() {
    assertThat(codec().decode("{\"id\":1,\"new\":{}}", Order.class).id()).isEqualTo(1);
  }

  @Test
  void aPayloadThatDoesNotFitIsRefusedWithoutQuotingIt() {
    for (String json : List.of("", "{", "[]", "{\"id\":\"secret\"}", "{\"id\":1} trailing")) {
      assertThatThrownBy(() -> codec().decode(json, Order.class))
          .isInstanceOf(PayloadException.class)
          .hasMessageContaining("Order")
          .hasMessageNotContaining("secret");
    }
  }

  @Test
  void aClassThatCannotBeReadIsRefusedBeforeTheFirstJob() {
    assertThatThrownBy(() -> codec().requireReadable(Unreadable.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("Unreadable");
  }

  /** Class names in a payload are plain text; the classes are never loaded. */
  @Test
  void classNamesInPayloadsAreNotLoaded() {
    String bomb = PayloadCodecContract.class.getName() + "$Bomb";

    assertThat(codec().decode("{\"@class\":\"" + bomb + "\",\"id\":3}", Order.class).id())
        .isEqualTo(3);
    assertThat(codec().decode("[\"" + bomb + "\",{}]", Object.class)).isInstanceOf(List.class);
    assertThat(System.getProperty("bomb")).as("set by Bomb, once it is initialized").isNull();
  }

  static final class Bomb {
    static {
      System.setProperty("bomb", "exploded");
    }

    private Bomb() {}
  }
}
