package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HtmlTest {

  @Test
  void textsAndAttributesAreEscaped() {
    Node node = Html.tag("p").set("title", "\"'<>&").add("<b>\"'&amp;</b>");

    assertThat(Html.render(node))
        .isEqualTo(
            "<p title=\"&quot;&#39;&lt;&gt;&amp;\">&lt;b&gt;&quot;&#39;&amp;amp;&lt;/b&gt;</p>");
  }

  @Test
  void charactersThatHideOrReverseTextAreReplaced() {
    assertThat(Html.render(Html.text("a\u0000b\u202Ec\u2066d\uD800e\u001Bf\u2028g")))
        .isEqualTo("a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFDf\uFFFDg");
  }

  @Test
  void pairsOfSurrogatesStay() {
    assertThat(Html.render(Html.text("🐟\n\t依存"))).isEqualTo("🐟\n\t依存");
  }

  @Test
  void attributesThatCouldRunAScriptAreRefused() {
    for (String attribute : List.of("onclick", "style", "href", "src", "action", "formaction")) {
      assertThatThrownBy(() -> Html.tag("a").set(attribute, "x"))
          .as(attribute)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void parametersOfLinksAreEncoded() {
    Link link = Link.of(1, "/jobs").with("q", "a b&c=\"<>#%/?").with("none", null);

    assertThat(link.text()).isEqualTo("../jobs?q=a+b%26c%3D%22%3C%3E%23%25%2F%3F");
  }

  @Test
  void htmlIsWrittenWithoutEscapingInOnePlace() throws IOException {
    long calls;
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      calls =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .flatMap(HtmlTest::lines)
              .filter(line -> line.contains("Html.trusted("))
              .count();
    }
    assertThat(calls).isEqualTo(1);
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readAllLines(file).stream();
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }
}
