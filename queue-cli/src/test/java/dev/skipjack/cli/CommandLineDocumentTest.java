package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Tests that {@code docs/cli.md} shows what the program prints: runs each command of the page, in
 * order, against the queue of {@link Shop}. After the commands of a section, it runs those of the
 * same section of {@code json.md}, which shows the JSON. {@code -Dgolden.write} rewrites the output
 * of all commands; the text between them is written by hand. The screen of {@code stats --watch} is
 * in the README.
 */
@QueueTest(truncate = false)
class CommandLineDocumentTest {

  private static final Path PAGE = Path.of("../docs/cli.md");
  private static final Path JSON = Path.of("src/test/resources/dev/skipjack/cli/json.md");
  private static final Path README = Path.of("../README.md");
  private static final String PROMPT = "$ skipjack ";
  private static final String USAGE_OF = "Usage: skipjack ";

  private static final Pattern BLOCK =
      Pattern.compile("^```console\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

  /** The block that shows the screen of {@code stats --watch}. */
  private static final Pattern PICTURE =
      Pattern.compile("^```text\nskipjack stats.*?^```$", Pattern.DOTALL | Pattern.MULTILINE);

  /** A quoted argument, or one without spaces. */
  private static final Pattern ARGUMENT = Pattern.compile("'([^']*)'|(\\S+)");

  /** The only command that the page leaves out. */
  private static final String HELP = "help";

  /** The command whose help the page shows with the options that all commands have. */
  private static final String COMPLETE_HELP = "why";

  /** The options that all commands have, in the usage and below, and the exit codes. */
  private static final Pattern COMMON_OPTIONS =
      Pattern.compile(
          "\\s+\\[-hV]|\\s+\\[--(?:debug|json|profile=NAME|schema=NAME|url=JDBC_URL)]|^ +(?:-h,"
              + " --help|-V, --version|--debug|--url=JDBC_URL|--profile=NAME|--schema=NAME|--json)"
              + " .*\n"
              + "(?: {20,}.*\n"
              + ")*|^\n"
              + "Exit codes: (?:.+\n"
              + ")+",
          Pattern.MULTILINE);

  /** The command whose help the page shows with the options of all changes by filter. */
  private static final String COMPLETE_FILTERS = "jobs cancel";

  /**
   * The options with which commands filter jobs, confirm a change and record it, and the text about
   * them.
   */
  private static final Pattern FILTER_OPTIONS =
      Pattern.compile(
          "^ +(?:--(?:queue|kind|group|tag|error|error-class|error-group|since|payload|status)=\\S+ +Only"
              + " jobs|--dry-run +Print how many jobs|--yes +Do not ask[.]|--as=NAME +Name|--reason=TEXT +Why) ?.*\n"
              + "(?: {20,}.*\n"
              + ")*|^A change by filter prints .+\n"
              + "(?:.+\n"
              + ")*?.*continue'[.]\n",
          Pattern.MULTILINE);

  /** The usage of a command, which continues on lines that are indented. */
  private static final Pattern USAGE =
      Pattern.compile("^Usage: .*\n(?: {15,}.*\n)*", Pattern.MULTILINE);

  /** An option in a usage, which the explanations below it name again. */
  private static final Pattern OPTION = Pattern.compile(" \\[-[^\\]]*](?:\\.\\.\\.)?");

  /** A parameter that the usage explains well enough. */
  private static final Pattern PLAIN_PARAMETER =
      Pattern.compile(
          "^ +\\[?[A-Z]+(?:\\.\\.\\.)?]? +(?:Ids?|Name|Type) of the [a-z]+\\.\n",
          Pattern.MULTILINE);

  /** Advice that the page gives for all commands. */
  private static final Pattern ABOUT_HYPHENS =
      Pattern.compile(" Put -- in front of a [a-z]+ that begins with -[.]");

  /** The rest of an explanation that is longer than a line. */
  private static final Pattern CONTINUATION = Pattern.compile("\n {17,}");

  /** The spaces before and after the name of an option or parameter, which form columns. */
  private static final Pattern COLUMNS =
      Pattern.compile("^ +(-h, --help|-V, --version|\\S+=\\S+ ID|\\S+) +", Pattern.MULTILINE);

  /** Commands whose output depends on the server, or that print a long script. */
  private static final Set<String> WITHOUT_RUN = Set.of("doctor", "completion", "dashboard");

  @Test
  void thePageShowsWhatTheProgramPrints(QueueDatabase database, @TempDir Path home)
      throws IOException, SQLException {
    Shop.open(database);
    fillAnotherQueue(database);
    Path profiles = home.resolve(".config/skipjack/config");
    Files.createDirectories(profiles.getParent());
    Files.writeString(profiles, "[default]\nurl = " + database.jdbcUrl());
    Files.setPosixFilePermissions(profiles, PosixFilePermissions.fromString("rw-------"));

    String page = Files.readString(PAGE);
    Files.writeString(home.resolve("jobs.jsonl"), jsonLines(page));
    Map<String, String> json = sections(Files.readString(JSON));
    StringBuilder rewritten = new StringBuilder();
    StringBuilder rewrittenJson = new StringBuilder(json.remove(""));
    try {
      sections(page)
          .forEach(
              (heading, text) -> {
                rewritten.append(rewrite(text, home));
                rewrittenJson.append(rewrite(json.getOrDefault(heading, ""), home));
                json.remove(heading);
              });
    } finally {
      dropRoles(database);
    }
    assertThat(json).as("sections that the page lacks").isEmpty();
    if (System.getProperty("golden.write") != null) {
      Files.writeString(PAGE, rewritten);
      Files.writeString(JSON, rewrittenJson);
    }
    assertThat(rewritten.toString()).isEqualTo(Files.readString(PAGE));
    assertThat(rewrittenJson.toString()).isEqualTo(Files.readString(JSON));
  }

  /** Returns the sections of a page by their headings, in order. */
  private static Map<String, String> sections(String page) {
    Map<String, String> sections = new LinkedHashMap<>();
    for (String section : page.split("(?m)^(?=##+ )", -1)) {
      String heading = section.startsWith("##") ? section.lines().findFirst().orElseThrow() : "# ";
      sections.put(heading.replaceFirst("#+ ", ""), section);
    }
    return sections;
  }

  /** Creates the table of db-scheduler with two tasks that can be imported, and two that cannot. */
  private static void fillAnotherQueue(QueueDatabase database) throws SQLException {
    Shop.execute(
        database,
        """
        CREATE TABLE scheduled_tasks (
          task_name text, task_instance text, task_data bytea, execution_time timestamptz NOT NULL, picked boolean NOT NULL,
          consecutive_failures int, version bigint NOT NULL, priority smallint, PRIMARY KEY (task_name, task_instance))
        """,
        """
        INSERT INTO scheduled_tasks (task_name, task_instance, task_data, execution_time, picked, version) VALUES
          ('sendReceipt', 'order-1010', '{"order":1010}', '2090-01-02 08:00Z', false, 1),
          ('sendReceipt', 'order-1011', '{"order":1011}', '2090-01-03 08:00Z', false, 1),
          ('sendReceipt', 'order-1012', '{"order":1012}', '2090-01-03 08:00Z', true, 2),
          ('cleanUp', 'recurring', NULL, '2090-01-01 08:00Z', false, 1)
        """);
  }

  private static String rewrite(String section, Path home) {
    return BLOCK
        .matcher(section)
        .replaceAll(
            block -> {
              StringBuilder transcript = new StringBuilder("```console\n");
              for (String line : commands(block.group(1))) {
                transcript.append(
                    line.startsWith(PROMPT) ? line + "\n" + run(home, line) : help(home, line));
              }
              return quoted(transcript.append("```").toString());
            });
  }

  @Test
  void thePictureOfTheStatisticsIsWhatTheScreenShows() throws IOException, SQLException {
    try (QueueDatabase shop = QueueDatabase.create()) {
      Shop.open(shop);
      JobQueue queue = Shop.queue(shop);
      Rates rates = new Rates();
      Overview overview = Overview.read(queue);
      rates.read(queue, overview, 0);
      rates.read(queue, overview, Duration.ofSeconds(2).toNanos());
      List<String> screen =
          new StatsScreen(Style.PLAIN)
              .draw(
                  "skipjack stats  2026-11-22T08:00:00Z  every 2s, q quits",
                  overview,
                  rates,
                  new Terminal.Size(80, 24));
      String picture = "```text\n" + sameEachTime(String.join("\n", screen) + "\n") + "```";
      Matcher shown = PICTURE.matcher(Files.readString(README));
      assertThat(shown.find()).isTrue();
      if (System.getProperty("golden.write") != null) {
        Files.writeString(README, shown.replaceFirst(quoted(picture)));
      } else {
        assertThat(shown.group()).isEqualTo(picture);
      }
    }
  }

  /** Drops the roles that the page creates, which belong to the whole server. */
  private static void dropRoles(QueueDatabase database) throws SQLException {
    for (String role : List.of("sql_producer", "producer", "worker", "operator", "viewer")) {
      Shop.execute(database, "DROP OWNED BY cli_doc_" + role, "DROP ROLE cli_doc_" + role);
    }
  }

  @Test
  void theNumberOneIsFollowedByASingular() throws IOException {
    Matcher plural =
        Pattern.compile(
                "(?<![\\d.,:-])1 (?:[a-z]+"
                    + " )?(jobs|keys|partitions|lines|attempts|rows|schedules|workers|events)\\b")
            .matcher(Files.readString(PAGE) + Files.readString(JSON));
    assertThat(plural.results().map(found -> found.group())).isEmpty();
  }

  @Test
  void thePagesShowTheHelpAndTheJsonOfEveryCommand() throws IOException {
    String page = Files.readString(PAGE);
    String json = Files.readString(JSON);
    Set<String> missing = new TreeSet<>();
    for (String command : leaves("", Skipjack.commandLine())) {
      if (!Pattern.compile("^" + USAGE_OF + command + "(?= [^a-z]|$)", Pattern.MULTILINE)
          .matcher(page)
          .find()) {
        missing.add(command + " --help");
      }
      if (!WITHOUT_RUN.contains(command)
          && !Pattern.compile("^\\$ skipjack " + command + "\\b.* --json$", Pattern.MULTILINE)
              .matcher(json)
              .find()) {
        missing.add(command + " --json");
      }
    }
    assertThat(missing).isEmpty();
  }

  private static List<String> leaves(String prefix, CommandLine group) {
    List<String> leaves = new ArrayList<>();
    group
        .getSubcommands()
        .forEach(
            (name, command) -> {
              if (command.getSubcommands().isEmpty() && !name.equals(HELP)) {
                leaves.add(prefix + name);
              }
              leaves.addAll(leaves(prefix + name + " ", command));
            });
    return leaves;
  }

  /** Returns the content of the file that the page shows. */
  private static String jsonLines(String page) {
    Matcher block = Pattern.compile("(?s)```json\n(.*?)```").matcher(page);
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  private static List<String> commands(String block) {
    return block
        .lines()
        .filter(line -> line.startsWith(PROMPT) || line.startsWith(USAGE_OF))
        .toList();
  }

  private static String run(Path home, String line) {
    List<String> arguments = new ArrayList<>();
    Matcher argument = ARGUMENT.matcher(line.substring(PROMPT.length()));
    while (argument.find()) {
      String text = argument.group(1) == null ? argument.group(2) : argument.group(1);
      arguments.add(text.equals("jobs.jsonl") ? home.resolve(text).toString() : text);
    }
    Program program =
        Program.run(
            Map.of("SKIPJACK_ACTOR", "anna@laptop"), home, arguments.toArray(String[]::new));
    String exit = program.exitCode() == 0 ? "" : "(exit code %d)%n".formatted(program.exitCode());
    return sameEachTime(program.out() + program.err()) + exit;
  }

  /** Returns a command's help, without the parts that the page shows only for another command. */
  private static String help(Path home, String usage) {
    String command = usage.substring(USAGE_OF.length()).replaceFirst(" [^a-z].*", "");
    String help = run(home, PROMPT + command + " --help");
    help = command.equals(COMPLETE_HELP) ? help : COMMON_OPTIONS.matcher(help).replaceAll("");
    help = command.equals(COMPLETE_FILTERS) ? help : FILTER_OPTIONS.matcher(help).replaceAll("");
    help = USAGE.matcher(help).replaceFirst(found -> quoted(shortened(found.group())));
    help = CONTINUATION.matcher(help).replaceAll(" ");
    help = ABOUT_HYPHENS.matcher(help).replaceAll("");
    help = PLAIN_PARAMETER.matcher(help).replaceAll("");
    return COLUMNS.matcher(help).replaceAll("  $1  ");
  }

  private static String quoted(String replacement) {
    return Matcher.quoteReplacement(replacement);
  }

  /** Returns a usage in one line without its options. */
  private static String shortened(String usage) {
    return OPTION.matcher(usage.replaceAll("\\s+", " ").strip()).replaceAll("") + "\n";
  }

  /** Replaces values that differ between runs. */
  private static String sameEachTime(String output) {
    return output
        .replaceAll("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z", "2026-11-22T08:00:00Z")
        .replaceAll("2090-01-0\\d", "2026-11-22")
        .replaceAll("(oldest_due_seconds\":)75\\d\\d(\\.\\d+)?", "$17500")
        .replaceAll(
            "(?!019ab000)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
            "1a7ad0d5-0000-4000-8000-000000000000")
        .replaceAll("(seen_ago_seconds\":)[0-9.]+", "$12")
        .replaceAll("alive {2,}[0-9]+m?s", "alive        2s")
        .replaceAll("in 59 min \\d+ s", "in 59 min 58 s")
        .replaceAll("due_in_seconds  35\\d\\d", "due_in_seconds  3598")
        .replaceAll("shop-1/[0-9a-f]{8}", "shop-1/1a7ad0d5")
        .replaceAll("(stack\":\").*?(?<!\\\\)\"", "$1...\"")
        .replaceAll("(java\":? ?\"?)[0-9][^\"\n]*", "$117.0.17+10")
        .replaceAll("[ ]+(?=\n)", "");
  }
}
