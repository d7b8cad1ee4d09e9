package dev.skipjack.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.spi.SafeText;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnqueueOptionsTest {

  private static final EnqueueOptions NONE = EnqueueOptions.none();

  @Test
  void everySettingIsKeptWhenAnotherIsChanged() {
    EnqueueOptions options =
        NONE.idempotencyKey("order-1", Duration.ofHours(1))
            .tags("b", "a", "b")
            .onQueue("emails")
            .maxAttempts(2)
            .priority(5)
            .at(Instant.EPOCH)
            .delay(Duration.ofSeconds(3));

    assertThat(options.idempotencyKey()).contains("order-1");
    assertThat(options.idempotencyKept()).isEqualTo(Duration.ofHours(1));
    assertThat(options.tags()).containsExactly("b", "a");
    assertThat(options.queue()).contains("emails");
    assertThat(options.maxAttempts()).hasValue(2);
    assertThat(options.priority()).hasValue(5);
    assertThat(options.delay()).isEqualTo(Duration.ofSeconds(3));
    assertThat(options.scheduledAt()).isEmpty();
    assertThat(options.tags(List.of()).tags()).isEmpty();
    assertThat(NONE.idempotencyKey("k").idempotencyKept()).isEqualTo(Duration.ofDays(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", " a", "a ", "tab\t", "line\n", "nul\0", "\u0085", "half \uD83D"})
  void refusesUnreadableTagsAndNamesThem(String tag) {
    assertThatThrownBy(() -> NONE.tags("fine", tag))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Tag '" + SafeText.of(tag, 80) + "'");
  }

  @Test
  void limitsTagsInNumberAndInCharacters() {
    assertThat(NONE.tags("\uD83D\uDE00".repeat(63)).tags()).hasSize(1);
    assertThatThrownBy(() -> NONE.tags("\uD83D\uDE00".repeat(64)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(NONE.tags(Collections.nCopies(20, "a")).tags()).containsExactly("a");
    assertThatThrownBy(() -> NONE.tags(Collections.nCopies(21, "a")))
        .hasMessageContaining("21 tags; at most 20");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nul \0", "lone \uD800"})
  void refusesGroupsThatPostgresRefuses(String group) {
    assertThatThrownBy(() -> NONE.group(group))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Group");
  }

  @Test
  void aGroupHasAtMost200Bytes() {
    assertThat(NONE.group("ö".repeat(100)).group()).contains("ö".repeat(100));
    assertThat(NONE.group("'; DROP TABLE jobs; --\n\t").priority(1).group())
        .contains("'; DROP TABLE jobs; --\n\t");
    assertThatThrownBy(() -> NONE.group("ö".repeat(100) + "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching(
            "Group 'ö+ ... \\(cut\\)' has 201 bytes in UTF-8; 1 to 200 are allowed\\..*");
    assertThat(NONE.group()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nul \0", "lone \uD800"})
  void refusesKeysThatPostgresRefuses(String key) {
    assertThatThrownBy(() -> NONE.idempotencyKey(key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Idempotency key");
  }

  @Test
  void aDurationOutOfRangeForAKeyIsRefused() {
    assertThatThrownBy(() -> NONE.idempotencyKey("k", Duration.ZERO)).hasMessageContaining("PT0S");
    assertThatThrownBy(() -> NONE.idempotencyKey("k", Duration.ofSeconds(Long.MAX_VALUE)))
        .hasMessageContaining("36500 days");
  }

  @Test
  void headersAreAddedAndReplaced() {
    EnqueueOptions first = NONE.header("tenant", "a").headers(Map.of("user", "u"));

    assertThat(NONE.headers()).isEmpty();
    assertThat(first.headers()).isEqualTo(Map.of("tenant", "a", "user", "u"));
    assertThat(first.header("tenant", "b").priority(1).headers())
        .isEqualTo(Map.of("tenant", "b", "user", "u"));
    assertThat(first.withoutHeader("tenant").headers()).isEqualTo(Map.of("user", "u"));
    assertThat(first.withoutHeader("none").headers()).isEqualTo(first.headers());
    assertThatThrownBy(() -> first.headers().put("a", "b"))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void theHeaderThatIsNotAllowedIsNamed() {
    EnqueueOptions large = NONE.header("tenant", "a").header("large", "x".repeat(4_000));

    assertThatThrownBy(() -> large.header("baggage", "x".repeat(100)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Header 'baggage' is too large: with it, the headers have 4143 bytes as JSON; at most 4096 are allowed.");
    Map<String, String> two = new LinkedHashMap<>();
    two.put("first", "x".repeat(4_000));
    two.put("second", "x".repeat(100));
    assertThatThrownBy(() -> NONE.headers(two))
        .hasMessageStartingWith("Header 'second' is too large");
    assertThatThrownBy(() -> NONE.headers(Map.of("Tenant", "a")))
        .hasMessage("Header name 'Tenant' is not allowed. Use a-z, 0-9 and !#$%&'*+.^_`|~-.");
    assertThatThrownBy(() -> NONE.header("skipjack-schedule", "a"))
        .hasMessageContaining("Header name 'skipjack-schedule' is not allowed.");
    assertThatThrownBy(() -> NONE.header("tenant", "a\nsecret"))
        .hasMessageContaining("header 'tenant'")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> NONE.header("tenant", "\uD800")).hasMessageContaining("'tenant'");
    assertThatThrownBy(() -> NONE.header("traceparent", "00"))
        .hasMessageStartingWith("Trace parent '00' is not allowed.");
  }

  @Test
  void aTraceparentIsKept() {
    String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    assertThat(EnqueueOptions.none().traceparent()).isEmpty();
    assertThat(EnqueueOptions.none().traceparent(trace).priority(1).traceparent()).contains(trace);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n",
        "00-4bf92f3577b34da6a3ce929d0e0e473\0-00f067aa0ba902b7-01"
      })
  void refusesInvalidTraceparents(String trace) {
    assertThatThrownBy(() -> EnqueueOptions.none().traceparent(trace))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Trace parent '" + SafeText.of(trace, 80) + "' is not allowed.");
  }
}
