package dev.skipjack.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Tests that the recipes in CONTRIBUTING.md name tests, and only files, classes and members that
 * exist. They must also name all files that an earlier change of the same kind touched.
 */
class RecipesTest {

  private static final Path ROOT = Path.of("..");
  private static final int MOST_LINES = 10;

  /** The changes for which CONTRIBUTING.md must contain a recipe. */
  private static final List<String> CHANGES =
      List.of(
          "job column",
          "job status",
          "outcome",
          "column of an outbox event",
          "setting of the worker",
          "Spring property",
          "payload codec",
          "slots",
          "default of the worker",
          "backoff",
          "CLI",
          "field of `why`",
          "benchmark",
          "worker event");

  /**
   * A change that was made, whose recipe must name every file of the main code that mentions it.
   *
   * @param change the end of the recipe's heading
   * @param mention finds the change in a file
   * @param files the paths of the files that belong to the change if they mention it
   */
  private record Example(String change, Pattern mention, Pattern files) {

    static Example of(String change, String mention, String files) {
      return new Example(change, Pattern.compile(mention), Pattern.compile(files));
    }
  }

  private static final List<Example> EXAMPLES =
      List.of(
          Example.of("job column that is set at enqueue", "\\btags\\b", "^queue-cli/"),
          Example.of("outcome of a job", "\\b(?:Snoozed|SNOOZED)\\b|'snoozed'", ""),
          Example.of(
              "column of an outbox event",
              "(?i)traceparent",
              "^(?:queue-outbox|integrations/kafka|lab)/|[oO]utbox|/roles\\.sql"),
          Example.of("setting of the worker", "\\bflushInterval\\b", ""),
          Example.of(
              "payload codec",
              "(?i)jackson3",
              "^(?!integrations/(?:jackson3|spring-boot-4)).*\\.(?:xml|imports)$|/JobQueue\\.java"),
          Example.of("field of `why`", "\\bJobExplanation\\b", "^(?:queue-cli|integrations)/"),
          Example.of("Spring property", "\\bchildWithin\\b", ""));

  private static final Pattern SOURCE =
      Pattern.compile("^(?!.*/target/).*\\.(?:java|sql|xml|imports)$");
  private static final Pattern MAIN = Pattern.compile("^(?!examples/).*(?:/src/main/|pom\\.xml$)");

  private static final Pattern RUN = Pattern.compile("-pl (\\S+) -Dtest=(\\S+)");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern MEMBER = Pattern.compile("([A-Z]\\w+)(?:\\.(\\w+))?");
  private static final Pattern TEST = Pattern.compile("`[A-Z]\\w*(?:Test|Properties|Promises)`");

  private static final Pattern HEADING = Pattern.compile("\n### ");

  /** A recipe: its heading, and the lines below it. */
  private record Recipe(String heading, List<String> lines) {

    String text() {
      return String.join("\n", lines);
    }

    /** Returns whether the recipe names a Java file by its class, or another file by its path. */
    boolean names(String file) {
      String name =
          file.endsWith(".java")
              ? file.substring(file.lastIndexOf('/') + 1).replace(".java", "")
              : file;
      return CODE.matcher(text())
          .results()
          .map(code -> code.group(1))
          .anyMatch(code -> code.equals(name) || code.startsWith(name + "."));
    }
  }

  private final List<Recipe> recipes = new ArrayList<>();
  private final Map<String, List<Path>> sources;

  RecipesTest() throws IOException {
    String page = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
    String section = page.substring(page.indexOf("## Recipes"));
    section = section.substring(0, section.indexOf("\n## "));
    for (String recipe : HEADING.split(section.substring(section.indexOf("\n### ")), -1)) {
      if (!recipe.isBlank()) {
        List<String> lines = recipe.lines().filter(line -> !line.isBlank()).toList();
        recipes.add(new Recipe(lines.get(0), lines.subList(1, lines.size())));
      }
    }
    try (Stream<Path> files = Files.walk(ROOT)) {
      sources =
          files
              .filter(file -> SOURCE.matcher(nameOf(file)).matches())
              .collect(
                  Collectors.groupingBy(
                      file -> file.getFileName().toString().replace(".java", "")));
    }
  }

  private static String nameOf(Path file) {
    return ROOT.relativize(file).toString().replace('\\', '/');
  }

  @Test
  void everyCommonChangeHasARecipe() {
    assertThat(CHANGES)
        .allSatisfy(
            change ->
                assertThat(recipes).extracting(Recipe::heading).anyMatch(h -> h.contains(change)));
  }

  @TestFactory
  Stream<DynamicTest> everyRecipeIsShortAndNamesATest() {
    return recipes.stream()
        .map(
            recipe ->
                DynamicTest.dynamicTest(
                    recipe.heading(),
                    () -> {
                      assertThat(recipe.lines()).hasSizeLessThanOrEqualTo(MOST_LINES);
                      assertThat(TEST.matcher(recipe.text()).find()).isTrue();
                    }));
  }

  @TestFactory
  Stream<DynamicTest> aRecipeNamesAllFilesOfAnEarlierChange() {
    return EXAMPLES.stream()
        .map(
            example ->
                DynamicTest.dynamicTest(
                    example.change(),
                    () -> {
                      Recipe recipe =
                          recipes.stream()
                              .filter(each -> each.heading().endsWith(example.change()))
                              .findAny()
                              .orElseThrow();
                      List<String> touched = touched(example);
                      assertThat(touched).hasSizeGreaterThan(1);
                      assertThat(touched).filteredOn(file -> !recipe.names(file)).isEmpty();
                    }));
  }

  private List<String> touched(Example example) {
    return sources.values().stream()
        .flatMap(List::stream)
        .map(RecipesTest::nameOf)
        .filter(file -> MAIN.matcher(file).find() && example.files().matcher(file).find())
        .filter(file -> example.mention().matcher(read(ROOT.resolve(file))).find())
        .toList();
  }

  @TestFactory
  Stream<DynamicTest> everythingThatARecipeNamesExists() {
    return recipes.stream()
        .flatMap(
            recipe ->
                CODE.matcher(recipe.text())
                    .results()
                    .map(code -> code.group(1))
                    .filter(code -> !code.contains("<"))
                    .map(
                        code ->
                            DynamicTest.dynamicTest(
                                "%s: %s".formatted(recipe.heading(), code),
                                () -> assertExists(code))));
  }

  private void assertExists(String code) {
    Matcher run = RUN.matcher(code);
    if (run.matches()) {
      assertRuns(List.of(run.group(1).split(",")), List.of(run.group(2).split(",")));
    } else if (code.contains("/") || code.endsWith(".md") || code.endsWith(".xml")) {
      assertThat(ROOT.resolve(code)).exists();
    } else if (MEMBER.matcher(code).matches()) {
      MatchResult name = MEMBER.matcher(code).results().findFirst().orElseThrow();
      List<Path> declared = sources.getOrDefault(name.group(1), List.of());
      assertThat(declared).as("sources of %s", code).isNotEmpty();
      if (name.group(2) != null) {
        assertThat(declared).anyMatch(source -> mentions(source, name.group(2)));
      }
    } else {
      assertThat(code).as("an attribute of an annotation").isEqualTo("subcommands");
    }
  }

  /** A test that is in none of the modules would not be run. */
  private void assertRuns(List<String> modules, List<String> tests) {
    assertThat(tests)
        .allSatisfy(
            test ->
                assertThat(sources.getOrDefault(test, List.of()))
                    .as(test)
                    .anyMatch(
                        file ->
                            modules.stream()
                                .anyMatch(module -> file.startsWith(ROOT.resolve(module)))));
  }

  private static boolean mentions(Path source, String member) {
    return Arrays.asList(read(source).split("\\W+", -1)).contains(member);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException failure) {
      throw new AssertionError(file.toString(), failure);
    }
  }
}
