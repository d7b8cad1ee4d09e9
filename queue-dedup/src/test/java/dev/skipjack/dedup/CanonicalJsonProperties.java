package dev.skipjack.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;

/**
 * Tests that the canonical text equals the server's text, whatever the notation of the document.
 */
class CanonicalJsonProperties {

  private static final QueueDatabase DATABASE = QueueDatabase.create();

  @AfterContainer
  static void close() {
    DATABASE.close();
  }

  @Property(tries = 100)
  void equalsTheTextOfTheServer(@ForAll("documents") List<String> documents) throws SQLException {
    assertThat(documents.stream().map(CanonicalJson::of).toList()).isEqualTo(byServer(documents));
  }

  @Example
  void theNotationOfADocumentDoesNotMatter() throws SQLException {
    String spelled =
        "\t{\"b\" : [1E+3 ,-0.0,15e-1, 1.50e1, 0e5,0E-5] ,\r\n \"a\\u0041\":null,\"a\":{ },\"c\":[ ],\"b\":\"\\ud83d\\ude00\\/\\u007f\\u001f\\b\\f\\n\\r\\t\\\"\\\\\"}";

    assertThat(CanonicalJson.of(spelled))
        .isEqualTo(byServer(List.of(spelled)).get(0))
        .isEqualTo(
            "{\"a\": {}, \"b\": \"\uD83D\uDE00/\u007f\\u001f\\b\\f\\n\\r\\t\\\"\\\\\", \"c\": [], \"aA\": null}");
  }

  private static List<String> byServer(List<String> documents) throws SQLException {
    try (Connection connection = DATABASE.connection();
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT doc::jsonb::text FROM unnest(?::text[]) WITH ORDINALITY AS given (doc, n) ORDER BY n")) {
      statement.setArray(1, connection.createArrayOf("text", documents.toArray()));
      List<String> texts = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          texts.add(rows.getString(1));
        }
      }
      return texts;
    }
  }

  @Provide
  Arbitrary<List<String>> documents() {
    return document(3).list().ofMinSize(1).ofMaxSize(20);
  }

  private static Arbitrary<String> document(int depth) {
    Arbitrary<String> leaf =
        Arbitraries.oneOf(
            Arbitraries.of("true", "false", "null", "-0", "0.10", "1e2", "12E-3", "1.5e+1", "-7"),
            Arbitraries.bigDecimals().ofScale(5).map(Object::toString),
            text());
    if (depth == 0) {
      return leaf;
    }
    Arbitrary<String> space = Arbitraries.of("", " ", "\n\t", " \r");
    Arbitrary<List<String>> values = document(depth - 1).list().ofMaxSize(4);
    return Arbitraries.frequencyOf(
        Tuple.of(2, leaf),
        Tuple.of(
            1,
            values.flatMap(
                elements ->
                    space.map(
                        gap ->
                            elements.stream()
                                .map(element -> gap + element + gap)
                                .collect(Collectors.joining(",", "[", gap + "]"))))),
        Tuple.of(
            2,
            values.flatMap(
                elements ->
                    text()
                        .list()
                        .ofSize(elements.size())
                        .flatMap(names -> space.map(gap -> object(names, elements, gap))))));
  }

  private static String object(List<String> names, List<String> elements, String gap) {
    return IntStream.range(0, elements.size())
        .mapToObj(i -> gap + names.get(i) + gap + ":" + gap + elements.get(i))
        .collect(Collectors.joining(",", "{", gap + "}"));
  }

  /**
   * Generates JSON strings in various notations, from so few characters that names are repeated.
   */
  private static Arbitrary<String> text() {
    return Arbitraries.of(
            "a",
            "b",
            "ab",
            "\\u0061",
            "ü",
            "\\u00fc",
            "\uD83D\uDE00",
            "\\ud83d\\ude00",
            "\\n",
            "\\u0001",
            "\\/",
            "\\\"",
            "\\\\",
            "\u007f",
            "'",
            "€")
        .list()
        .ofMaxSize(3)
        .map(parts -> '"' + String.join("", parts) + '"');
  }
}
