package dev.skipjack.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Tests that Java and Kotlin code in the documents is code that compiles. The code below each
 * {@code <!-- snippet: FILE#NAME -->} must equal the code between {@code // snippet: NAME} and
 * {@code // end of snippet} in that file, which is named by the end of its path.
 */
class DocumentSnippetsTest {

  private static final Path ROOT = Path.of("..");

  private static final Pattern SNIPPET =
      Pattern.compile(
          "<!-- snippet: (\\S+)#(\\S+) -->\\R```(?:java|kotlin)\\R(.*?)```", Pattern.DOTALL);

  private static final Pattern NAMED_CLASS =
      Pattern.compile("`([A-Z][a-z]\\w*(?:Test|IT|Properties|Statement|Contract|Promises))\\b");

  /** A member of a class, for example {@code `Worker.on`}. */
  private static final Pattern NAMED_MEMBER = Pattern.compile("`([A-Z][a-z]\\w*)[.#](\\w+)");

  private static final Pattern IMPORT =
      Pattern.compile(
          "^import (?:static )?(dev[.]skipjack(?:[.][a-z0-9]+)*[.][A-Z]\\w*)", Pattern.MULTILINE);

  private static final Pattern CODE = Pattern.compile("^```(?:java|kotlin)$", Pattern.MULTILINE);

  @TestFactory
  Stream<DynamicTest> everySnippetEqualsItsSource() throws IOException {
    List<Path> sources = sources();
    List<DynamicTest> tests = new ArrayList<>();
    for (Path document : documents()) {
      Matcher found = SNIPPET.matcher(Files.readString(document));
      while (found.find()) {
        String file = found.group(1);
        String name = found.group(2);
        String shown = found.group(3);
        tests.add(
            DynamicTest.dynamicTest(
                "%s: %s".formatted(ROOT.relativize(document), name),
                () -> assertThat(shown).isEqualTo(region(only(file, sources), name))));
      }
    }
    return tests.stream();
  }

  @Test
  void theReadmeShowsJavaAndAllCodeInDocumentsIsASnippet() throws IOException {
    assertThat(count(SNIPPET, ROOT.resolve("README.md"))).isPositive();
    for (Path document : documents()) {
      assertThat(count(CODE, document)).as("%s", document).isEqualTo(count(SNIPPET, document));
    }
  }

  /** Tests that pages do not name tests and statements that have been renamed. */
  @Test
  void everyTestAndStatementThatADocumentNamesExists() throws IOException {
    Set<String> classes;
    try (Stream<Path> files = Files.walk(ROOT)) {
      classes =
          files
              .map(file -> file.getFileName().toString())
              .filter(file -> file.endsWith(".java"))
              .map(file -> file.substring(0, file.length() - ".java".length()))
              .collect(Collectors.toSet());
    }
    int named = 0;
    for (Path document : documents()) {
      Matcher name = NAMED_CLASS.matcher(Files.readString(document));
      while (name.find()) {
        assertThat(classes).as("named by %s", document).contains(name.group(1));
        named++;
      }
    }
    assertThat(named).isPositive();
  }

  /**
   * Tests that pages do not name members that have been renamed, if the class is one of this
   * project.
   */
  @Test
  void everyMemberThatADocumentNamesIsInItsClass() throws IOException {
    Map<String, String> sources;
    try (Stream<Path> files = Files.walk(ROOT)) {
      sources =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .collect(
                  Collectors.toMap(
                      file -> file.getFileName().toString().replace(".java", ""),
                      DocumentSnippetsTest::text,
                      String::concat));
    }
    int named = 0;
    for (Path document : documents()) {
      Matcher name = NAMED_MEMBER.matcher(Files.readString(document));
      while (name.find()) {
        String source = sources.get(name.group(1));
        if (source != null && !sources.containsKey(name.group(2))) {
          assertThat(source)
              .as("%s, named by %s", name.group(), document)
              .containsPattern("\\b" + name.group(2) + "\\b");
          named++;
        }
      }
    }
    assertThat(named).isPositive();
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** Tests that the classes that a page imports exist. */
  @Test
  void everyClassThatADocumentImportsExists() throws IOException {
    Set<String> classes;
    try (Stream<Path> files = Files.walk(ROOT)) {
      classes =
          files
              .map(Path::toString)
              .filter(file -> file.contains("/src/main/java/") && file.endsWith(".java"))
              .map(file -> file.replaceAll(".*/src/main/java/|[.]java$", "").replace('/', '.'))
              .collect(Collectors.toSet());
    }
    int imported = 0;
    for (Path document : documents()) {
      Matcher line = IMPORT.matcher(Files.readString(document));
      while (line.find()) {
        assertThat(classes).as("imported by %s", document).contains(line.group(1));
        imported++;
      }
    }
    assertThat(imported).isPositive();
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs)
          .filter(path -> path.toString().endsWith(".md"))
          .sorted()
          .toList();
    }
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().matches(".*/src/.*[.](java|kt)"))
          .filter(file -> !file.toString().contains("/target/"))
          .toList();
    }
  }

  /** Returns the source file whose path ends with the given names, which must be the only one. */
  private static Path only(String end, List<Path> sources) {
    List<Path> found = sources.stream().filter(file -> file.endsWith(end)).toList();
    assertThat(found).as("source files whose path ends with %s", end).hasSize(1);
    return found.get(0);
  }

  private static long count(Pattern pattern, Path document) throws IOException {
    return pattern.matcher(Files.readString(document)).results().count();
  }

  private static String region(Path file, String name) throws IOException {
    List<String> lines = Files.readAllLines(file);
    int begin = lines.stream().map(String::strip).toList().indexOf("// snippet: " + name);
    assertThat(begin).as("begin of snippet '%s' in %s", name, file).isNotNegative();
    List<String> region =
        lines.stream()
            .skip(begin + 1L)
            .takeWhile(line -> !line.strip().equals("// end of snippet"))
            .toList();
    return String.join("\n", region).stripTrailing().stripIndent() + "\n";
  }
}
