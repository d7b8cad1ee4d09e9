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
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Tests that the recipes in CONTRIBUTING.md name tests, and only files, classes and members that
 * exist.
 */
class RecipesTest {

  private static final Path ROOT = Path.of("..");
  private static final int MOST_LINES = 10;

  /** The changes for which CONTRIBUTING.md must contain a recipe. */
  private static final List<String> CHANGES =
      List.of("job column", "job status", "payload codec", "slots", "backoff", "CLI", "event");

  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern MEMBER = Pattern.compile("([A-Z]\\w+)(?:\\.(\\w+))?");
  private static final Pattern TEST = Pattern.compile("`[A-Z]\\w*(?:Test|Properties|Promises)`");

  private static final Pattern HEADING = Pattern.compile("\n### ");

  /** A recipe: its heading, and the lines below it. */
  private record Recipe(String heading, List<String> lines) {

    String text() {
      return String.join("\n", lines);
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
              .filter(file -> file.toString().endsWith(".java"))
              .collect(
                  Collectors.groupingBy(
                      file -> file.getFileName().toString().replace(".java", "")));
    }
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

  private void assertExists(String code) throws IOException {
    if (code.contains("/") || code.endsWith(".md")) {
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

  private static boolean mentions(Path source, String member) {
    try {
      return Arrays.asList(Files.readString(source).split("\\W+", -1)).contains(member);
    } catch (IOException failure) {
      throw new AssertionError(source.toString(), failure);
    }
  }
}
