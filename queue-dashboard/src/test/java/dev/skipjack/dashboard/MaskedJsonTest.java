package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MaskedJsonTest {

  private static String shown(String json) {
    return MaskedJson.of(json, PayloadView.standard()).text();
  }

  @Test
  void documentsAreIndented() {
    assertThat(shown("{\"a\": [1, {\"b\": null}], \"c\": {}, \"d\": []}"))
        .isEqualTo(
            """
            {
              "a": [
                1,
                {
                  "b": null
                }
              ],
              "c": {},
              "d": []
            }\
            """);
  }

  @Test
  void numbersStayAsTheyAre() {
    assertThat(shown("[12345678901234567890.10, 1E400, -0]"))
        .isEqualTo("[\n  12345678901234567890.10,\n  1E400,\n  -0\n]");
  }

  @Test
  void valuesOfMaskedFieldsAreReplacedWhateverTheyAre() {
    assertThat(
            shown(
                "{\"user\":{\"Password\":\"a\\\"b\",\"api_keys\":[\"x\",{\"y\":\"z\"}],\"n\":1},"
                    + "\"clientSecret\":{\"deep\":{\"a\":1}},\"pass\\u0077ord\":7,\"token\":null}"))
        .isEqualTo(
            """
            {
              "user": {
                "Password": "•••",
                "api_keys": "•••",
                "n": 1
              },
              "clientSecret": "•••",
              "pass\\u0077ord": "•••",
              "token": "•••"
            }\
            """);
  }

  @Test
  void textsWithBracesAndColonsAreTexts() {
    assertThat(shown("{\"a\":\"{\\\"password\\\": [1,2]}\",\"b\":2}"))
        .isEqualTo("{\n  \"a\": \"{\\\"password\\\": [1,2]}\",\n  \"b\": 2\n}");
  }

  @Test
  void malformedAndLongDocumentsEndSomewhere() {
    for (String odd :
        new String[] {"", "{", "{\"a", "{\"token\":", "\"\\", "]]]}", "{\"token\":{[\""}) {
      assertThat(shown(odd)).isNotNull();
    }
    assertThat(shown("[" + "1,".repeat(100_000) + "1]").length()).isLessThan(400_000);
    assertThat(shown("[".repeat(50_000))).isNotEmpty();
  }
}
