package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SkipjackTest {

  /** A command in the text of a page. */
  private static final Pattern COMMAND = Pattern.compile("`skipjack ([a-z][^`]*)`");

  /** Commands of another program. */
  private static final Set<String> LAB = Set.of("demo", "bench", "torture");

  @Test
  void versionAndHelpGoToStandardOutput() {
    assertThat(Program.run("--version"))
        .satisfies(
            program -> {
              assertThat(program.exitCode()).isZero();
              assertThat(program.out())
                  .startsWith("skipjack ")
                  .contains("Java " + System.getProperty("java.version"));
            });
  }

  @Test
  void withoutACommandTheHelpOptionIsShown() {
    Program program = Program.run();
    assertThat(program.exitCode()).isEqualTo(2);
    assertThat(program.err()).contains("No command was given.", "skipjack --help");
  }

  @Test
  void everyCommandIsRegisteredAndOnThePage() throws IOException {
    List<String> commands;
    try (Stream<Path> files = Files.list(Path.of("src/main/java/dev/skipjack/cli"))) {
      commands =
          files
              .map(file -> file.getFileName().toString())
              .filter(file -> file.endsWith("Command.java"))
              .map(file -> file.replace("Command.java", "").toLowerCase(Locale.ROOT))
              .toList();
    }

    assertThat(Skipjack.commandLine().getSubcommands().keySet())
        .filteredOn(command -> !command.equals("help"))
        .containsExactlyInAnyOrderElementsOf(commands);
    assertThat(Files.readString(Path.of("../docs/cli.md")))
        .contains(commands.stream().map(command -> "\n## " + command + "\n").toList());
  }

  @Test
  void commandsInThePagesExistWithTheirOptions() throws IOException {
    List<String> commands = new ArrayList<>();
    try (Stream<Path> pages = Files.walk(Path.of("../docs"))) {
      for (Path page :
          Stream.concat(pages, Stream.of(Path.of("../README.md")))
              .filter(file -> file.toString().endsWith(".md"))
              .toList()) {
        Matcher command = COMMAND.matcher(Files.readString(page));
        while (command.find()) {
          commands.add(command.group(1).replaceAll("\\s+", " "));
        }
      }
    }
    assertThat(commands).hasSizeGreaterThan(20).allSatisfy(SkipjackTest::requireKnown);
  }

  private static void requireKnown(String text) {
    CommandLine command = Skipjack.commandLine();
    for (String word : text.split(" ", -1)) {
      if (word.startsWith("--")) {
        assertThat(command.getCommandSpec().optionsMap()).as(text).containsKey(word);
      } else if (!command.getSubcommands().isEmpty() && !LAB.contains(word)) {
        assertThat(command.getSubcommands()).as(text).containsKey(word);
        command = Objects.requireNonNull(command.getSubcommands().get(word));
      }
    }
  }

  @Test
  void anUnknownCommandListsTheAvailableCommands() {
    Program program = Program.run("job");
    assertThat(program.exitCode()).isEqualTo(2);
    assertThat(program.err())
        .contains("Unknown command 'job'. Available commands: jobs, why, doctor, queues, ")
        .hasLineCount(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"demo", "bench drain", "torture --minutes 1"})
  void theErrorForACommandOfTheLabNamesItsProgram(String arguments) {
    String[] words = arguments.split(" ", -1);
    Program program = Program.run(words);
    assertThat(program.exitCode()).isEqualTo(2);
    assertThat(program.err())
        .contains(
            "'%s' is not part of this program. In a clone of the repository, './skipjack %1$s' builds and runs it."
                .formatted(words[0]));
  }
}
