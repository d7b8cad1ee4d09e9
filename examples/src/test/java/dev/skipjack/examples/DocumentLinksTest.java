package dev.skipjack.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Tests that links between the project's pages lead to existing files and headings. */
class DocumentLinksTest {

  private static final Path ROOT = Path.of("..");

  private static final Pattern CODE =
      Pattern.compile("^```.*?^```$|`[^`\n]*`", Pattern.DOTALL | Pattern.MULTILINE);

  private static final Pattern LINK = Pattern.compile("\\]\\(\\s*([^)\\s]+)[^)]*\\)");

  private static final Pattern ELSEWHERE = Pattern.compile("[a-z][a-z+.-]*:.*");

  private static final Pattern FENCED =
      Pattern.compile("^```.*?^```$", Pattern.DOTALL | Pattern.MULTILINE);

  /** A page in the navigation of the documentation site. */
  private static final Pattern NAVIGATION =
      Pattern.compile("^ +- (?:.*: )?(\\S+\\.md)$", Pattern.MULTILINE);

  private static final Pattern JAVADOC_LINK = Pattern.compile("\\{@link\\s+([\\w.]+)\\}");

  private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.+?)[ #]*$", Pattern.MULTILINE);

  @TestFactory
  Stream<DynamicTest> everyLinkLeadsSomewhere() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (Path document : documents()) {
      tests.add(
          DynamicTest.dynamicTest(
              ROOT.relativize(document).toString(), () -> assertThat(dead(document)).isEmpty()));
    }
    return tests.stream();
  }

  /** Ensures that the other test does not pass merely because it finds no links. */
  @Test
  void theReadmeLinksToPagesAndHeadingsAreKnown() throws IOException {
    assertThat(links(ROOT.resolve("README.md"))).anyMatch(link -> link.startsWith("docs/"));
    assertThat(anchors("# A `queue`, its jobs\n```\n# none\n```\n## Twice\n## Twice\n"))
        .containsExactlyInAnyOrder("a-queue-its-jobs", "twice", "twice-1");
    assertThat(deadIn(ROOT.resolve("docs/none.md"), "../README.md#no-such-heading")).isNotEmpty();
    assertThat(deadIn(ROOT.resolve("docs/none.md"), "no-such-page.md")).isNotEmpty();
    assertThat(deadIn(ROOT.resolve("docs/none.md"), "../README.md")).isEmpty();
  }

  /** A page of its own lists the decision records. */
  @Test
  void theNavigationOfTheSiteHasAllPages() throws IOException {
    List<String> pages =
        documents().stream()
            .map(document -> ROOT.resolve("docs").relativize(document).toString())
            .filter(page -> !page.startsWith("..") && !page.matches("adr/\\d.*"))
            .collect(Collectors.toCollection(ArrayList::new));
    pages.add("index.md"); // the README

    assertThat(found(NAVIGATION, ROOT.resolve("site/mkdocs.yml")))
        .containsExactlyInAnyOrderElementsOf(pages);
  }

  @Test
  void theFirstPageOfTheJavadocLinksToPublishedTypes() throws IOException {
    List<String> types = found(JAVADOC_LINK, ROOT.resolve("site/overview.html"));

    assertThat(types)
        .contains("dev.skipjack.worker.Worker")
        .allMatch(DocumentLinksTest::isInAModule);
  }

  private static boolean isInAModule(String type) {
    String source = "src/main/java/%s.java".formatted(type.replace('.', '/'));
    try (Stream<Path> folders = Files.list(ROOT);
        Stream<Path> integrations = Files.list(ROOT.resolve("integrations"))) {
      return Stream.concat(folders, integrations)
          .anyMatch(module -> Files.exists(module.resolve(source)));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static List<String> found(Pattern pattern, Path file) throws IOException {
    return pattern.matcher(Files.readString(file)).results().map(match -> match.group(1)).toList();
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(top, docs)
          .filter(path -> path.toString().endsWith(".md"))
          .sorted()
          .toList();
    }
  }

  private static List<String> dead(Path document) throws IOException {
    List<String> dead = new ArrayList<>();
    for (String link : links(document)) {
      dead.addAll(deadIn(document, link));
    }
    return dead;
  }

  private static List<String> links(Path document) throws IOException {
    Matcher link = LINK.matcher(CODE.matcher(Files.readString(document)).replaceAll("code"));
    return link.results().map(found -> found.group(1)).toList();
  }

  /** Returns why a link of the document leads nowhere; empty if it is valid. */
  private static List<String> deadIn(Path document, String link) throws IOException {
    if (ELSEWHERE.matcher(link).matches()) {
      return List.of();
    }
    int hash = link.indexOf('#');
    String file = hash < 0 ? link : link.substring(0, hash);
    Path target = file.isEmpty() ? document : document.resolveSibling(file).normalize();
    if (!Files.exists(target)) {
      return List.of(link + ": no such file");
    }
    boolean hasHeading =
        hash < 0 || anchors(Files.readString(target)).contains(link.substring(hash + 1));
    return hasHeading ? List.of() : List.of(link + ": no such heading");
  }

  /**
   * Returns the anchors that common hosts create: lower-case letters and digits, hyphens for
   * spaces, and a number if the anchor would be ambiguous.
   */
  private static Set<String> anchors(String page) {
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> seen = new HashMap<>();
    Matcher heading = HEADING.matcher(FENCED.matcher(page).replaceAll(""));
    while (heading.find()) {
      String words =
          heading
              .group(1)
              .replaceAll("\\]\\([^)]*\\)", "")
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N}_ -]", "")
              .replace(' ', '-');
      int earlier = seen.merge(words, 1, Integer::sum) - 1;
      anchors.add(earlier == 0 ? words : words + "-" + earlier);
    }
    return anchors;
  }
}
