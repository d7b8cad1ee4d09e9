package dev.skipjack.outbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.outbox.PublishResult;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the Javadoc and the guide state how {@link Response} treats each status. */
class ResponseRulesTest {

  private static final Pattern STATUS = Pattern.compile("\\b\\d{3}\\b");
  private static final Pattern PAUSING = Pattern.compile("\\d{3} or \\d{3}");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "src/main/java/dev/skipjack/outbox/http/HttpPublisher.java",
        "../docs/guides/outbox.md"
      })
  void documentStatesTheResultOfEachStatus(String file) throws IOException {
    String text = Files.readString(Path.of(file));

    assertThat(statuses(row(text, "dead[:,]")))
        .isEqualTo(statuses(response -> response.result().kind() == PublishResult.Kind.DEAD));
    assertThat(statuses(row(text, "the endpoint is unavailable")))
        .isEqualTo(statuses(Response::isUnavailable));
    assertThat(statuses(first(PAUSING, text)))
        .isEqualTo(statuses(response -> !response.pause().isZero()));
    assertThat(row(text, "(?:sent|published)")).contains("2xx");
    assertThat(statuses(response -> response.result().kind() == PublishResult.Kind.SENT))
        .isEqualTo(IntStream.range(200, 300).boxed().toList());
  }

  /** Returns the row of a table, in Markdown or HTML, whose second cell begins with a text. */
  private static String row(String text, String second) {
    return first(
        Pattern.compile("(?:^\\|| <tr><td>).*(?:\\| |<td>)" + second, Pattern.MULTILINE), text);
  }

  private static String first(Pattern pattern, String text) {
    Matcher found = pattern.matcher(text);
    assertThat(found.find()).as("%s in the document", pattern).isTrue();
    return found.group();
  }

  private static List<Integer> statuses(String text) {
    return STATUS.matcher(text).results().map(found -> Integer.valueOf(found.group())).toList();
  }

  private static List<Integer> statuses(Predicate<Response> condition) {
    HttpHeaders headers =
        HttpHeaders.of(Map.of("Retry-After", List.of("7")), (name, value) -> true);
    return IntStream.range(200, 600)
        .filter(status -> condition.test(Response.of(status, headers, "example.org")))
        .boxed()
        .toList();
  }
}
