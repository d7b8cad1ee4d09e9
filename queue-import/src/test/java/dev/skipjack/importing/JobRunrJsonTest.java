package dev.skipjack.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobRunrJsonTest {

  @Test
  void aTextThatLooksLikeAClassIsKept() throws JsonText.Rejected {
    assertThat(payload("[\"java.util.ArrayList\", [\"java.lang.Error: full\", \"b\"]]"))
        .isEqualTo("[[\"java.lang.Error: full\",\"b\"]]");
    assertThat(payload("[\"java.util.ArrayList\", [\"java.lang.Error\", \"b\"]]"))
        .isEqualTo("[[\"java.lang.Error\",\"b\"]]");
    assertThat(
            payload(
                "[\"java.util.ArrayList\", [[\"java.util.Arrays$ArrayList\", [1, 2]],"
                    + " {\"@class\": \"a.B\", \"at\": [\"java.time.Instant\", 5]}]]"))
        .isEqualTo("[[[1,2],{\"at\":5}]]");
  }

  private static String payload(String object) throws JsonText.Rejected {
    return JobRunrJson.of(
            "{\"jobDetails\": {\"methodName\": \"call\", \"jobParameters\": [{\"object\": %s}]}}"
                .formatted(object))
        .payload();
  }

  @ParameterizedTest
  @Timeout(60)
  @ValueSource(
      strings = {
        "",
        "[",
        "{\"labels\": \"x\"}",
        "{\"labels\": {}}",
        "{\"labels\": 5",
        "{\"jobDetails\": null}",
        "{\"jobHistory\": null}",
        "{\"jobDetails\": {\"jobParameters\": {}}}",
        "{\"jobDetails\": {\"jobParameters\": [{\"object\": [1"
      })
  void aDocumentOfAnotherFormIsRefused(String document) {
    assertThatThrownBy(() -> JobRunrJson.of(document)).isInstanceOf(JsonText.Rejected.class);
  }
}
