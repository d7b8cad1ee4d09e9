package dev.skipjack.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryParserTest {

  private static final String ID = "4658b67a-04e0-539d-a856-ca82cc8b1088";

  @Test
  void readsEveryField() {
    Delivery delivery =
        DeliveryParser.parse(
            """
            {"delivery":"%s","event":"push","action":"created","repository":"a/b","payload":{"n":1.10}}"""
                .formatted(ID));
    assertThat(delivery.id()).isEqualTo(UUID.fromString(ID));
    assertThat(delivery.event()).isEqualTo("push");
    assertThat(delivery.action()).isEqualTo("created");
    assertThat(delivery.repository()).isEqualTo("a/b");
    assertThat(delivery.payload()).hasToString("{\"n\":1.10}");
  }

  @Test
  void actionAndRepositoryMayBeNullOrMissing() {
    String head = "{\"delivery\":\"" + ID + "\",\"event\":\"ping\",\"payload\":{}";
    assertThat(DeliveryParser.parse(head + "}").repository()).isNull();
    assertThat(DeliveryParser.parse(head + ",\"action\":null,\"repository\":null}").action())
        .isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"delivery\":                                     | not JSON: Unexpected end-of-input",
        "hello                                              | not JSON: Unrecognized token 'hello'",
        "[1]                                                | not a JSON object but an array",
        "{} {}                                              | not JSON: Trailing token",
        "{\"event\":\"a\",\"event\":\"b\"}                  | not JSON: Duplicate field 'event'",
        "{\"event\":\"push\",\"payload\":{}}                | field 'delivery' is missing",
        "{\"delivery\":\"4658b67a-04e0-539d-a856-ca82cc8b1088\"} | field 'event' is missing",
        "{\"delivery\":\"1-1-1-1-1\",\"event\":\"a\",\"payload\":{}} | field 'delivery' must be a UUID, not '1-1-1-1-1'",
        "{\"delivery\":7,\"event\":\"a\",\"payload\":{}}    | field 'delivery' must be a UUID, not a number",
        "{\"repo\":\"a/b\"}                                 | unknown field 'repo'",
      })
  void aRefusalStatesTheReason(String line, String reason) {
    assertThatThrownBy(() -> DeliveryParser.parse(line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"event\":7,\"payload\":{}                          | field 'event' must be text, not a number",
        "\"event\":\" \",\"payload\":{}                      | field 'event' must have 1 to 255 characters, not 0",
        "\"event\":\"a\",\"action\":[],\"payload\":{}        | field 'action' must be text, not an array",
        "\"event\":\"a\",\"repository\":true,\"payload\":{}  | field 'repository' must be text, not true or false",
        "\"event\":\"a\",\"payload\":null                    | field 'payload' must be an object, not null",
        "\"event\":\"a\",\"payload\":\"{}\"                  | field 'payload' must be an object, not text",
      })
  void aWrongFieldIsNamed(String fields, String reason) {
    assertThatThrownBy(() -> DeliveryParser.parse("{\"delivery\":\"" + ID + "\"," + fields + "}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(reason);
  }

  @Test
  void alertsAndAdvisoriesAreUrgent() {
    assertThat(urgent("security_advisory")).isTrue();
    assertThat(urgent("dependabot_alert")).isTrue();
    assertThat(urgent("push")).isFalse();
  }

  private static boolean urgent(String event) {
    return DeliveryParser.parse(
            "{\"delivery\":\"%s\",\"event\":\"%s\",\"payload\":{}}".formatted(ID, event))
        .isUrgent();
  }
}
