package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SkipjackTest {

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
    assertThat(Program.run("demo", "--help"))
        .satisfies(
            program -> {
              assertThat(program.exitCode()).isZero();
              assertThat(program.out())
                  .contains("--input", "--jobs", "--workers", "--url", "--resume", "--json");
            });
  }

  @Test
  void withoutACommandTheHelpOptionIsShown() {
    Program program = Program.run();
    assertThat(program.exitCode()).isEqualTo(2);
    assertThat(program.err()).contains("No command was given.", "skipjack --help");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--jobs 0                            | --jobs is 0, but at least 1 delivery is needed.",
        "--jobs -5                           | --jobs is -5, but at least 1 delivery is needed.",
        "--jobs many                         | 'many' is not",
        "--workers 0                         | --workers is 0, but must be 1 to 32.",
        "--workers 33                        | --workers is 33, but must be 1 to 32.",
        "--url mysql://h/d                   | --url takes a JDBC URL",
        "--resume --jobs 5                   | --resume sends nothing",
        "--input no/such.jsonl               | no/such.jsonl: no such file",
        "--input .                           | .: is a directory",
        "--jbos 5                            | Unknown option",
        "extra                               | Unexpected argument 'extra'. Allowed are --input, --jobs, --workers,",
      })
  void invalidArgumentsAreRefusedInASentence(String arguments, String sentence) {
    Program program = Program.run(("demo " + arguments).split(" +"));
    assertThat(program.exitCode()).isEqualTo(2);
    assertThat(program.out()).isEmpty();
    assertThat(program.err()).contains(sentence, "skipjack demo --help").hasLineCount(2);
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
        .contains(
            commands.stream()
                .filter(command -> !List.of("bench", "demo", "torture").contains(command))
                .map(command -> "\n## " + command + "\n")
                .toList());
  }

  @Test
  void anUnknownCommandListsTheAvailableCommands() {
    Program program = Program.run("job");
    assertThat(program.exitCode()).isEqualTo(2);
    assertThat(program.err())
        .contains("Unknown command 'job'. Available commands: jobs, why, doctor, queues, ")
        .hasLineCount(2);
  }

  @Test
  void anUnknownHostIsNamed() {
    Program program = Program.run("demo", "--url", "jdbc:postgresql://no-such-host.invalid/d");
    assertThat(program.exitCode()).isEqualTo(3);
    assertThat(program.err()).contains("unknown host 'no-such-host.invalid'");
  }

  @Test
  void anUnreachableDatabaseIsNamedWithoutItsPassword() {
    Program program =
        Program.run("demo", "--url", "jdbc:postgresql://127.0.0.1:1/x?user=u&password=secret");
    assertThat(program.exitCode()).isEqualTo(3);
    assertThat(program.err()).contains("127.0.0.1:1").doesNotContain("secret");
  }

  @Test
  void helpShowsHowToKeepThePasswordOutOfTheArguments() {
    for (String command : new String[] {"demo", "bench", "torture"}) {
      assertThat(Program.run(command, "--help").out()).as(command).contains("PGPASSWORD");
    }
  }

  @Test
  void benchWithoutANameListsThem() {
    Program program = Program.run("bench");
    assertThat(program.exitCode()).isZero();
    assertThat(program.out()).contains("drain ", "single ", "enqueue ", "idle ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "drian                        | Unknown benchmark 'drian'. The benchmarks are drain, single,",
        "--jobs 5                     | Which benchmark? Options need a NAME: drain, single,",
        "--json                       | Which benchmark? Options need a NAME: drain,",
        "drain extra                  | Unexpected argument 'extra'. Allowed are one NAME and the options",
        "drain --jobs 0               | --jobs is 0, but must be 1 to 100000000.",
        "drain --workers 1001         | --workers is 1001, but must be 1 to 1000.",
        "drain --seconds some         | 'some' is not",
        "drain --archive maybe        | --archive is 'maybe', but must be keep or none.",
        "drain --rate 5               | --rate does not apply to drain, which takes --archive, --batch,",
        "idle --url mysql://h/d       | --url takes a JDBC URL",
      })
  void aBenchmarkThatCannotBeRunIsRefusedInASentence(String arguments, String sentence) {
    Program program = Program.run(("bench " + arguments).split(" +"));
    assertThat(program.exitCode()).isEqualTo(2);
    assertThat(program.out()).isEmpty();
    assertThat(program.err()).contains(sentence, "skipjack bench --help").hasLineCount(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--minutes 0                  | --minutes is 0.0, but must be from 0.1 to 1440.",
        "--minutes long               | 'long' is not",
        "--jobs 3                     | --jobs is 3, but must be from 10 to 10000000.",
        "--faults fire                | Unknown fault 'fire' in --faults. Available faults: kill,stop,",
        "--seed S                     | 'S' is not",
        "--url mysql://h/d            | --url takes a JDBC URL",
        "--fault kill                 | Unknown option",
      })
  void invalidTortureOptionsAreRefusedInASentence(String arguments, String sentence) {
    Program program = Program.run(("torture " + arguments).split(" +"));
    assertThat(program.exitCode()).isEqualTo(2);
    assertThat(program.out()).isEmpty();
    assertThat(program.err()).contains(sentence, "skipjack torture --help").hasLineCount(2);
  }
}
