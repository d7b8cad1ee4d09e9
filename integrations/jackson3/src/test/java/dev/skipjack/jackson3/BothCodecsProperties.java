package dev.skipjack.jackson3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import dev.skipjack.store.jooq.internal.payload.JacksonCodec;
import dev.skipjack.store.jooq.internal.payload.PayloadLimits;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/** Tests that an application can change from either codec to the other while jobs wait. */
@SuppressWarnings("ArrayRecordComponent") // applications have such payloads
class BothCodecsProperties {

  private final PayloadCodec jackson2 = new JacksonCodec();
  private final PayloadCodec jackson3 = new Jackson3Codec();

  enum Size {
    SMALL,
    LARGE;

    @Override
    public String toString() {
      return "size " + name();
    }
  }

  record Numbers(
      int count, long id, double ratio, float part, BigDecimal amount, BigInteger great) {}

  record Times(
      Instant at,
      Duration lasts,
      LocalDate day,
      LocalDateTime local,
      ZonedDateTime zoned,
      DayOfWeek weekday) {}

  /**
   * A payload whose properties are not in alphabetical order. Jackson 3 would sort them by default.
   */
  record Payload(
      @Nullable String text,
      Numbers numbers,
      Times times,
      Size size,
      UUID uuid,
      URI uri,
      boolean flag,
      byte[] bytes,
      Optional<String> optional,
      List<Size> sizes,
      Map<String, Numbers> byName,
      @JsonProperty("renamed") @Nullable Payload next) {}

  @Property(tries = 300)
  void bothWriteTheSameJsonAndReadTheSameValues(@ForAll("payloads") Payload payload) {
    String written = jackson2.encode(payload);

    assertThat(jackson3.encode(payload)).isEqualTo(written);
    assertThat(jackson2.encode(jackson3.decode(written, Payload.class)))
        .isEqualTo(jackson2.encode(jackson2.decode(written, Payload.class)));
  }

  /** By default, Jackson 2 refuses unknown fields and Jackson 3 ignores them. */
  @Property(tries = 1)
  void bothReadNumbersOfAnotherTypeAndIgnoreUnknownFields() {
    String json =
        "{\"count\":\"1\",\"ratio\":1,\"id\":1.0,\"part\":\"2\",\"amount\":\"3\",\"unknown\":[{}]}";

    assertThat(jackson3.decode(json, Numbers.class))
        .isEqualTo(jackson2.decode(json, Numbers.class));
  }

  /** By default, Jackson 2 reads primitives without a value and Jackson 3 refuses them. */
  @Property(tries = 1)
  void bothRefusePrimitivesWithoutAValue() {
    for (String json : List.of("{}", "{\"count\":null}", "{\"unknown\":[{}]}")) {
      for (PayloadCodec codec : List.of(jackson2, jackson3)) {
        assertThatThrownBy(() -> codec.decode(json, Numbers.class))
            .as(json)
            .isInstanceOf(PayloadException.class)
            .hasMessageContaining("missing or null");
      }
    }
  }

  /** The codec for Jackson 3 has a copy of the queue's limit. */
  @Example
  void bothReadPayloadsAsDeepAsTheQueueAcceptsAndOneLevelMore() {
    int deepest = 1;
    while (isAccepted(nested(deepest + 1))) {
      deepest++;
    }
    for (PayloadCodec codec : List.of(jackson2, jackson3)) {
      assertThat(codec.decode(nested(deepest + 1), Object.class)).isInstanceOf(List.class);
      String deeper = nested(deepest + 2);
      assertThatThrownBy(() -> codec.decode(deeper, Object.class))
          .isInstanceOf(PayloadException.class);
    }
  }

  private static String nested(int levels) {
    return "[".repeat(levels) + "]".repeat(levels);
  }

  private static boolean isAccepted(String json) {
    try {
      new PayloadLimits(PayloadLimits.LARGEST).require("nested", json);
      return true;
    } catch (PayloadException refused) {
      return false;
    }
  }

  @Provide
  Arbitrary<Payload> payloads() {
    Arbitrary<Payload> last = payload(Arbitraries.just(Optional.empty()));
    return payload(last.optional());
  }

  private static Arbitrary<Payload> payload(Arbitrary<Optional<Payload>> next) {
    Arbitrary<String> texts = Arbitraries.strings().excludeChars('\0').ofMaxLength(20);
    return Combinators.combine(
            texts.injectNull(0.2),
            numbers(),
            times(),
            Arbitraries.of(Size.class),
            texts,
            texts.optional(),
            Arbitraries.maps(texts, numbers()).ofMaxSize(3),
            next)
        .as(
            (text, numbers, times, size, key, optional, byName, following) ->
                new Payload(
                    text,
                    numbers,
                    times,
                    size,
                    UUID.nameUUIDFromBytes(key.getBytes(UTF_8)),
                    URI.create("https://example.org/" + key.hashCode()),
                    key.isEmpty(),
                    key.getBytes(UTF_8),
                    optional,
                    List.of(size),
                    new TreeMap<>(byName),
                    following.orElse(null)));
  }

  private static Arbitrary<Numbers> numbers() {
    return Combinators.combine(
            Arbitraries.integers(),
            Arbitraries.longs(),
            Arbitraries.doubles(),
            Arbitraries.floats(),
            Arbitraries.bigDecimals().ofScale(9),
            Arbitraries.bigIntegers())
        .as(Numbers::new);
  }

  private static Arbitrary<Times> times() {
    return Combinators.combine(
            Arbitraries.longs().between(-30_000_000_000L, 60_000_000_000L),
            Arbitraries.longs().between(0, 999_999_999),
            Arbitraries.of("UTC", "Europe/Berlin", "+05:30"))
        .as(
            (seconds, nanos, zone) -> {
              Instant at = Instant.ofEpochSecond(seconds, nanos);
              ZonedDateTime zoned = at.atZone(ZoneId.of(zone));
              return new Times(
                  at,
                  Duration.ofSeconds(seconds, nanos),
                  zoned.toLocalDate(),
                  zoned.toLocalDateTime(),
                  zoned,
                  zoned.getDayOfWeek());
            });
  }
}
