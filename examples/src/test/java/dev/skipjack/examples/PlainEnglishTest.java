package dev.skipjack.examples;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Tests that the documents, the comments and string literals of the main code, and the names of
 * tests avoid wording that readers found hard to understand. A failure names the file, the line and
 * the word, and what to write instead.
 *
 * <p>If a word is correct in its context, add an entry with the reason to {@link #JUSTIFIED}.
 */
class PlainEnglishTest {

  private static final Path ROOT = Path.of("..");

  /** A word or phrase, what to write instead, and whether main code is checked for it. */
  private record Rule(Pattern wording, String instead, boolean inCode) {

    static Rule of(String regex, String instead) {
      String spaced = "\\b(?:" + regex.replace(" ", "\\s+") + ")\\b";
      return new Rule(Pattern.compile(spaced, Pattern.CASE_INSENSITIVE), instead, true);
    }

    /**
     * Returns the rule for documents only, because main code outside {@link #CLEAN} still violates
     * it.
     */
    Rule inDocuments() {
      return new Rule(wording, instead, false);
    }
  }

  private static final List<Rule> RULES =
      List.of(
          Rule.of("(?<!in[ -])flights?", "round trip"),
          Rule.of("(?:calls?|called|calling) off", "cancel"),
          Rule.of("(?:breaks?|broke|broken|breaking) off", "abort"),
          Rule.of("signs? of life", "heartbeat, ping"),
          Rule.of("shall", "must, will, or the imperative"),
          Rule.of("so many", "N, the number of ..., the given number").inDocuments(),
          Rule.of("mend(?:s|ed|ing)?", "fix, repair"),
          Rule.of("for ever", "forever, indefinitely"),
          Rule.of("answer(?:s|ed|ing)?", "returns; result, response, acknowledgement")
              .inDocuments(),
          Rule.of("tells?|telling|told", "reports, shows, emits, returns").inDocuments(),
          Rule.of("(?:is|are|was|were|be|been) over", "has expired, has ended").inDocuments(),
          Rule.of("what (?:became|becomes|become|has become) of", "the result of"),
          Rule.of(
                  "somebody|someone|nobody|anybody|anyone|everybody|whoever|no one",
                  "the worker, transaction, caller or operator by name")
              .inDocuments(),
          Rule.of("(?:a|the|each|every) person(?:'s)?", "operator, administrative"),
          Rule.of("(?:is|are|was|were|be|been|goes|went) away", "is unavailable"),
          Rule.of("looks? (?:at|again|by)|a look", "reads, a query").inDocuments(),
          Rule.of("twins?", "holder (of a unique key), duplicate").inDocuments(),
          Rule.of("rivals?", "another worker, a concurrent transaction").inDocuments(),
          Rule.of("hears?|heard", "is notified, receives").inDocuments(),
          Rule.of("(?:is|are|was|were) to be", "must, will").inDocuments(),
          Rule.of("(?:free|handler's|tenth|kept|second) places?|places", "slot").inDocuments(),
          Rule.of("anew", "again; regenerate, replan").inDocuments(),
          Rule.of("(?:gives?|given|giving|gave) back", "return, release, requeue"),
          Rule.of(
              "the (?:most|largest number of) (?:rows|jobs|attempts|keys)", "the maximum number"),
          Rule.of("the longest that", "the maximum time that"),
          Rule.of("not API", "not part of the API"),
          Rule.of("from (?:Java |PostgreSQL )?\\d+ on", "Java 21 and later"),
          Rule.of("what (?:\\w+,? ){1,8}makes? of", "how ... changes, the effect of"));

  /** The main code that is checked for every rule. Entries may be added but not removed. */
  private static final List<String> CLEAN =
      List.of(
          "examples/",
          "integrations/jackson3/",
          "integrations/kafka/",
          "integrations/micrometer/",
          "integrations/observation/",
          "integrations/spring-boot-starter/",
          "integrations/spring-boot-test/",
          "lab/benchmarks/",
          "lab/demo/",
          "lab/program/",
          "lab/rivals/",
          "lab/torture/",
          "migrations/",
          "queue-api/",
          "queue-cli/",
          "queue-dashboard/",
          "queue-dedup/",
          "queue-operations/",
          "queue-outbox/",
          "queue-skiplocked/",
          "queue-sql/",
          "queue-steps/",
          "queue-store-jooq/",
          "queue-testkit/",
          "queue-worker/",
          "support/embedded-postgres/",
          "support/faults/",
          "support/model-codegen/");

  private static final String EMBEDDED =
      "support/embedded-postgres/src/main/java/dev/skipjack/embedded/";
  private static final String DEDUP = "queue-dedup/src/main/java/dev/skipjack/dedup/";
  private static final String PROGRAM = "lab/program/src/main/java/dev/skipjack/program/";
  private static final String RIVALS = "lab/rivals/src/main/java/dev/skipjack/rivals/";
  private static final String STORE = "queue-store-jooq/src/main/java/dev/skipjack/store/jooq/";

  /**
   * The exceptions: file and wording, in lower case, with the reason why the wording is correct
   * there.
   */
  private static final Map<Justified, String> JUSTIFIED =
      Map.ofEntries(
          entry(new Justified("docs/performance.md", "flight"), "JDK Flight Recorder"),
          entry(new Justified(EMBEDDED + "EmbeddedPostgres.java", "nobody"), "a Unix user"),
          entry(new Justified(EMBEDDED + "Unprivileged.java", "nobody"), "a Unix user"),
          entry(new Justified(DEDUP + "UniqueInsert.java", "answered"), "an alias in SQL"),
          entry(new Justified(DEDUP + "UniqueInsert.java", "twin"), "an alias in SQL"),
          entry(new Justified(DEDUP + "ResolveConflictStatement.java", "twin"), "an alias in SQL"),
          entry(new Justified(STORE + "RedriveStatement.java", "twin"), "an alias in SQL"),
          entry(
              new Justified(STORE + "internal/history/FindPartitionsStatement.java", "is over"),
              "the mark of a table, which is part of the SQL"),
          entry(new Justified(PROGRAM + "BenchCommand.java", "rivals"), "the name of a benchmark"),
          entry(new Justified(RIVALS + "Rivals.java", "rivals"), "the name of a benchmark"));

  private record Justified(String file, String wording) {}

  private static final Set<String> NOT_OURS = Set.of("target", "generated");
  private static final Set<String> NOT_MAIN = Set.of("target", "generated", "test");

  private static final Pattern CODE_AND_LINKS =
      Pattern.compile("^```.*?^```$|`[^`\n]*`|]\\([^)\\s]*\\)", Pattern.DOTALL | Pattern.MULTILINE);

  /** Matches comments and literals in Java, which people read in code, logs and Javadoc. */
  private static final Pattern JAVA_TEXT =
      Pattern.compile(
          "/\\*.*?\\*/|//[^\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])+'",
          Pattern.DOTALL);

  /** Matches the methods and the rules of ArchUnit that are tests, up to their name. */
  private static final Pattern NAME_OF_TEST =
      Pattern.compile(
          "@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\\b"
              + ".*?\\b(?:void|DynamicTest>)\\s+(\\w+)\\(|\\bArchRule\\s+(\\w+)",
          Pattern.DOTALL);

  private static final Pattern BETWEEN_WORDS =
      Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");

  @Test
  void documentsAreInPlainEnglish() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path document : files(name -> name.endsWith(".md"))) {
      find(name(document), blank(Files.readString(document), CODE_AND_LINKS), RULES, found);
    }
    assertThat(found).isEmpty();
  }

  @Test
  void commentsAndTextsOfMainCodeAndMigrationsAreInPlainEnglish() throws IOException {
    List<Rule> everywhere = RULES.stream().filter(Rule::inCode).toList();
    List<String> found = new ArrayList<>();
    for (Path source : files(name -> name.endsWith(".java") || name.endsWith(".sql"))) {
      String text = Files.readString(source);
      boolean java = name(source).endsWith(".java");
      boolean clean = CLEAN.stream().anyMatch(name(source)::startsWith);
      find(name(source), java ? only(text, JAVA_TEXT) : text, clean ? RULES : everywhere, found);
    }
    assertThat(found).isEmpty();
  }

  @Test
  void namesOfTestsAreInPlainEnglish() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path source : files(name -> name.endsWith(".java"), NOT_OURS)) {
      find(name(source), namesOfTests(Files.readString(source)), RULES, found);
    }
    assertThat(found).isEmpty();
  }

  /** Ensures that the other tests do not pass merely because they read nothing. */
  @Test
  void wordsAreFoundInTextAndNotInCode() throws IOException {
    assertThat(files(name -> name.endsWith(".md")).stream().map(PlainEnglishTest::name))
        .contains("README.md", "docs/guarantees.md", "docs/adr/0013-wake-ups.md");
    assertThat(files(name -> name.endsWith(".java"))).hasSizeGreaterThan(100);
    assertThat(files(name -> name.endsWith("Test.java"), NOT_OURS)).hasSizeGreaterThan(100);

    List<String> found = new ArrayList<>();
    String java = "int shall = 1; // it shall\nlog(\"a \\\" flight\");";
    find("A.java", only(java, JAVA_TEXT), RULES, found);
    assertThat(found)
        .containsExactly(
            "A.java:2: \"flight\": write round trip",
            "A.java:1: \"shall\": write must, will, or the imperative");
    found.clear();
    String test = "@Test\n@Timeout(1)\nvoid aJobInFlightShallEnd() {}\nvoid helperInFlight() {}";
    find("ATest.java", namesOfTests(test), RULES, found);
    assertThat(found)
        .containsExactly("ATest.java:3: \"Shall\": write must, will, or the imperative");
    found.clear();
    find("a.md", blank("`shall` in flight\n```\nshall\n```\n", CODE_AND_LINKS), RULES, found);
    assertThat(found).isEmpty();
  }

  /**
   * Tests that no entry is obsolete, because an obsolete entry would hide new uses of the wording.
   */
  @Test
  void everyExceptionIsNeeded() throws IOException {
    for (Justified justified : JUSTIFIED.keySet()) {
      assertThat(Files.readString(ROOT.resolve(justified.file())).replaceAll("\\s+", " "))
          .containsIgnoringCase(justified.wording());
    }
  }

  private static void find(String file, String text, List<Rule> rules, List<String> found) {
    for (Rule rule : rules) {
      Matcher wording = rule.wording().matcher(text);
      while (wording.find()) {
        String word = wording.group().replaceAll("\\s+", " ");
        if (!JUSTIFIED.containsKey(new Justified(file, word.toLowerCase(Locale.ROOT)))) {
          long line = 1 + text.substring(0, wording.start()).chars().filter(c -> c == '\n').count();
          found.add("%s:%d: \"%s\": write %s".formatted(file, line, word, rule.instead()));
        }
      }
    }
  }

  private static List<Path> files(Predicate<String> wanted) throws IOException {
    return files(wanted, NOT_MAIN);
  }

  private static List<Path> files(Predicate<String> wanted, Set<String> skipped)
      throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = folder.getFileName().toString();
            boolean ours =
                folder.equals(ROOT) || (!name.startsWith(".") && !skipped.contains(name));
            return ours ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (wanted.test(file.getFileName().toString())) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    files.sort(null);
    return files;
  }

  private static String name(Path file) {
    return ROOT.relativize(file).toString().replace('\\', '/');
  }

  /**
   * Returns the text without the parts that match the pattern, but with all line breaks, so that
   * line numbers stay the same.
   */
  private static String blank(String text, Pattern pattern) {
    return pattern.matcher(text).replaceAll(found -> lineBreaks(found.group()));
  }

  /** Returns only the parts of the text that match the pattern, with all line breaks. */
  private static String only(String text, Pattern pattern) {
    StringBuilder kept = new StringBuilder();
    int end = 0;
    Matcher found = pattern.matcher(text);
    while (found.find()) {
      kept.append(lineBreaks(text.substring(end, found.start()))).append(found.group());
      end = found.end();
    }
    return kept.append(lineBreaks(text.substring(end))).toString();
  }

  /** Returns the words in the names of tests, with all line breaks. */
  private static String namesOfTests(String text) {
    StringBuilder words = new StringBuilder();
    int end = 0;
    Matcher found = NAME_OF_TEST.matcher(text);
    while (found.find()) {
      String name = found.group(1) == null ? found.group(2) : found.group(1);
      words
          .append(lineBreaks(text.substring(end, found.end())))
          .append(BETWEEN_WORDS.matcher(name).replaceAll(" "))
          .append('.');
      end = found.end();
    }
    return words.toString();
  }

  private static String lineBreaks(String text) {
    return text.replaceAll("[^\n]+", " ");
  }
}
