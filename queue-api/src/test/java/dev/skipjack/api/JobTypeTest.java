package dev.skipjack.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobTypeTest {

  private static final JobType<String> TYPE = JobType.of("send-welcome", String.class);

  @Test
  void typeHasTheDocumentedDefaults() {
    assertThat(TYPE.queue()).isEqualTo("default");
    assertThat(TYPE.priority()).isEmpty();
    assertThat(TYPE.maxAttempts()).isEmpty();
    assertThat(TYPE.timeout()).isEmpty();
    assertThat(TYPE.payloadVersion()).isEqualTo(1);
  }

  @Test
  void everySettingIsKeptWhenAnotherIsChanged() {
    JobType<String> type =
        TYPE.onQueue("emails")
            .priority(-7)
            .maxAttempts(8)
            .timeout(Duration.ofMinutes(2))
            .payloadVersion(3)
            .retry(Backoff.standard());

    assertThat(type.kind()).isEqualTo("send-welcome");
    assertThat(type.payloadClass()).isEqualTo(String.class);
    assertThat(type.queue()).isEqualTo("emails");
    assertThat(type.priority()).hasValue(-7);
    assertThat(type.maxAttempts()).hasValue(8);
    assertThat(type.timeout()).contains(Duration.ofMinutes(2));
    assertThat(type.payloadVersion()).isEqualTo(3);
    assertThat(TYPE.queue()).isEqualTo("default");
  }

  @Test
  void derivesTheGroupFromThePayload() {
    JobType<String> type =
        TYPE.groupedBy(payload -> payload.isEmpty() ? null : "tenant-" + payload);

    assertThat(type.priority(3).group("42")).contains("tenant-42");
    assertThat(type.group("")).isEmpty();
    assertThat(TYPE.group("42")).isEmpty();
  }

  @Test
  void theRuleOfTheClosestSuperclassAppliesToAFailure() {
    Backoff seldom = Backoff.fixed(Duration.ofHours(1));
    Backoff often = Backoff.fixed(Duration.ofSeconds(1));
    JobType<String> type =
        TYPE.deadOn(IllegalArgumentException.class)
            .retryOn(NumberFormatException.class, seldom)
            .retry(often);

    assertThat(type.ruleFor(new IllegalArgumentException())).isInstanceOf(FailureRule.Dead.class);
    assertThat(type.ruleFor(new java.util.IllegalFormatWidthException(1)))
        .isInstanceOf(FailureRule.Dead.class);
    assertThat(type.ruleFor(new NumberFormatException())).isEqualTo(new FailureRule.Retry(seldom));
    assertThat(type.ruleFor(new Error())).isEqualTo(new FailureRule.Retry(often));
    assertThat(TYPE.ruleFor(new IllegalArgumentException()))
        .isEqualTo(new FailureRule.Retry(TYPE.backoff()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "Upper",
        "a b",
        "naïve",
        "a/b",
        "x\0",
        "0123456789012345678901234567890123456789012345678901234567890123"
      })
  void refusesNamesThatNeedEscaping(String name) {
    assertThatThrownBy(() -> JobType.of(name, String.class))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TYPE.onQueue(name)).hasMessageContaining("Use 1 to 63 of a-z");
    assertThatThrownBy(() -> EnqueueOptions.none().onQueue(name))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void numbersOutOfRangeAreRefusedAndNamed() {
    assertThatThrownBy(() -> TYPE.priority(101)).hasMessageContaining("101");
    assertThatThrownBy(() -> TYPE.priority(-101)).hasMessageContaining("-101");
    assertThatThrownBy(() -> TYPE.maxAttempts(0)).hasMessageContaining("0");
    assertThatThrownBy(() -> TYPE.timeout(Duration.ZERO)).hasMessageContaining("PT0S");
    assertThatThrownBy(() -> TYPE.payloadVersion(0)).hasMessageContaining("0");
    assertThatThrownBy(() -> EnqueueOptions.none().delay(Duration.ofSeconds(-1)))
        .hasMessageContaining("PT-1S");
    assertThatThrownBy(() -> EnqueueOptions.none().delay(Duration.ofSeconds(Long.MAX_VALUE)))
        .hasMessageContaining("36500");
    assertThatThrownBy(() -> EnqueueOptions.none().at(Instant.MAX))
        .hasMessageContaining("+1000000000");
  }

  @Test
  void treatsAnInstantInThePastAsNow() {
    assertThat(EnqueueOptions.none().at(Instant.MIN).scheduledAt()).contains(Instant.EPOCH);
  }

  @Test
  @SuppressWarnings("NullAway") // callers may not check nulls
  void messagesNameTheNullArgument() {
    assertThatThrownBy(() -> JobType.of(null, String.class))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("Kind name must not be null.");
    assertThatThrownBy(() -> JobType.of("send-welcome", null))
        .hasMessage("Payload class of kind 'send-welcome' must not be null.");
    assertThatThrownBy(() -> TYPE.onQueue(null)).hasMessage("Queue name must not be null.");
    assertThatThrownBy(() -> TYPE.retry(null))
        .hasMessage("Backoff of kind 'send-welcome' must not be null.");
    assertThatThrownBy(() -> TYPE.retryOn(Error.class, null))
        .hasMessage("Backoff of kind 'send-welcome' must not be null.");
    assertThatThrownBy(() -> TYPE.retryOn(null, Backoff.standard()))
        .hasMessage("Exception class of kind 'send-welcome' must not be null.");
    assertThatThrownBy(() -> TYPE.deadOn(null))
        .hasMessage("Exception class of kind 'send-welcome' must not be null.");
    assertThatThrownBy(() -> TYPE.timeout(null))
        .hasMessage("Timeout of kind 'send-welcome' must not be null.");
    assertThatThrownBy(() -> TYPE.upcast(null))
        .hasMessage("Upcaster of kind 'send-welcome' must not be null.");
  }
}
