package dev.skipjack.dedup;

import static dev.skipjack.dedup.Fixture.SYNC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.dedup.Fixture.Sync;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UniqueKeysTest {

  private static final NewJob DRAFT =
      NewJob.of(SYNC.onQueue("emails"), "{}", EnqueueOptions.none());

  @Test
  void shortKeysStayReadable() {
    assertThat(key(Unique.byKey("user-42"))).isEqualTo("kind/sync/user-42");
    assertThat(label("user-42")).isEqualTo("user-42");
  }

  @Test
  void keysOfDifferentScopesDiffer() {
    Unique<Sync> unique = Unique.byKey("k");

    assertThat(key(unique.withinQueue())).isEqualTo("queue/emails/k");
    assertThat(key(unique.global())).isEqualTo("global/k");
    assertThat(key(unique.global().withinKind())).isEqualTo("kind/sync/k");
    assertThat(key(unique.withinQueue().perPeriod(Duration.ofHours(1))))
        .isEqualTo("period/queue/emails/k");
  }

  @Test
  void longKeysAreHashedAsInSql() {
    String key = "ü".repeat(101);

    // SELECT encode(sha256(convert_to(repeat('ü', 101), 'UTF8')), 'hex')
    assertThat(key(Unique.byKey(key)))
        .isEqualTo(
            "kind/sync#" + "2bb4522ea0294a150aa9c67d9f4cc654db5efe501d82e722ff5fa6bec4bf2e6c");
    assertThat(key(Unique.byKey(key + "x"))).isNotEqualTo(key(Unique.byKey(key)));
    assertThat(label(key)).hasSize(63).endsWith("...");
  }

  @Test
  void theLabelNeverEndsInHalfACharacter() {
    assertThat(label("x" + "\uD83D\uDE00".repeat(200))).doesNotContain("\uD83D...");
  }

  @Test
  void aKeyOfFieldsIsAJsonArray() {
    Unique<Sync> unique =
        Unique.byFields(
            Sync::account,
            Sync::version,
            sync -> true,
            sync -> Long.MIN_VALUE,
            sync -> new BigInteger("123456789012345678901234567890"),
            sync -> new BigDecimal("1.50E+1"),
            sync -> TimeUnit.DAYS,
            sync -> LocalDate.of(2026, 2, 3),
            sync -> new UUID(1, 2));

    assertThat(key(unique, new Sync("a \"b\"\n\u0001ü", 7)))
        .isEqualTo(
            "kind/sync/[\"a \\\"b\\\"\\n\\u0001ü\", 7, true, -9223372036854775808,"
                + " 123456789012345678901234567890, 15.0, \"DAYS\", \"2026-02-03\","
                + " \"00000000-0000-0001-0000-000000000002\"]");
  }

  @Test
  void fieldsWithoutASingleTextFormAreRefused() {
    for (Object value : List.of(1.5, new Object(), new BigDecimal("1E+999999999"))) {
      assertThatThrownBy(() -> key(Unique.byFields(Sync::account, sync -> value)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Field 2")
          .hasMessageContaining(value.getClass().getName());
    }
  }

  /** Otherwise, jobs with unknown values would be taken for duplicates. */
  @Test
  @SuppressWarnings("NullAway") // a caller's build may not check nulls
  void nullKeysAndNullFieldsAreRefused() {
    assertThatThrownBy(() -> key(Unique.byFields(Sync::version, Sync::account), new Sync(null, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("kind 'sync'")
        .hasMessageContaining("Field 2")
        .hasMessageContaining("null");
    assertThatThrownBy(() -> key(Unique.by(Sync::account), new Sync(null, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("kind 'sync'")
        .hasMessageContaining("null");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nul \0", "lone \uD800"})
  void keysThatPostgresRefusesAreRefused(String key) {
    assertThatThrownBy(() -> key(Unique.byKey(key)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sync");
  }

  @Test
  void aKeyOfAMillionCharactersIsAcceptedAndALongerOneIsRefused() {
    assertThat(key(Unique.byKey("k".repeat(1_000_000)))).hasSize("kind/sync#".length() + 64);
    assertThatThrownBy(() -> key(Unique.byKey("k".repeat(1_000_001))))
        .hasMessageContaining("1,000,001 characters");
  }

  @Test
  void periodsAndWaitsOutOfRangeAreRefused() {
    Unique<Sync> unique = Unique.byKey("k");
    Duration second = Duration.ofSeconds(1);

    assertThatThrownBy(() -> unique.perPeriod(Duration.ZERO)).hasMessageContaining("PT0S");
    assertThatThrownBy(() -> unique.perPeriod(Duration.ofDays(40_000)))
        .hasMessageContaining("36500 days");
    assertThatThrownBy(() -> unique.debounce(Duration.ZERO, second)).hasMessageContaining("PT0S");
    assertThatThrownBy(() -> unique.debounce(second, Duration.ofMillis(1)))
        .hasMessageContaining("PT0.001S");
    assertThatThrownBy(() -> unique.debounce(second, Duration.ofDays(40_000)))
        .hasMessageContaining("36500 days");
  }

  private static String key(Unique<Sync> unique) {
    return key(unique, new Sync("a", 1));
  }

  private static String key(Unique<Sync> unique, Sync payload) {
    assertThat(DRAFT.kind()).isEqualTo(SYNC.kind());
    return UniqueKeys.of(unique.apply(DRAFT, payload));
  }

  private static String label(String key) {
    NewJob job = Unique.<Sync>byKey(key).apply(DRAFT, new Sync("a", 1));
    return Objects.requireNonNull(job.uniqueKey()).label();
  }
}
