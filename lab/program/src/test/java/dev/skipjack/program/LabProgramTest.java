package dev.skipjack.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.cli.Skipjack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabProgramTest {

  @Test
  void theProgramHasTheCommandsOfOperatorsToo() {
    assertThat(Program.run("jobs", "list", "--help").exitCode()).isZero();
    assertThat(Program.run("demo", "--debug", "--help").out())
        .contains("--input", "--jobs", "--url", "--resume", "--json");
  }

  @Test
  void everyCommandOfTheLabIsOnThePage() throws IOException {
    Set<String> commands = new TreeSet<>(LabProgram.commandLine().getSubcommands().keySet());
    commands.removeAll(Skipjack.commandLine().getSubcommands().keySet());

    assertThat(commands).containsExactly("bench", "demo", "torture");
    assertThat(Files.readString(Path.of("../../docs/cli.md")))
        .contains(commands.stream().map(command -> "\n| `./skipjack " + command + "` | ").toList());
  }

  @Test
  void noMessageContainsAPassword() {
    String url = "jdbc:postgresql://127.0.0.1:x/db?user=u&password=ab s3cret'd";
    Program program = Program.run("demo", "--url", url);
    assertThat(program.exitCode()).isNotZero();
    assertThat(program.out() + program.err()).doesNotContain("s3cret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--jobs 0                            | --jobs is 0, but at least 1 delivery is needed.",
        "--jobs -5                           | --jobs is -5, but at least 1 delivery is needed.",
        "--jobs many                         | 'many' is not",
        "--url mysql://h/d                   | --url takes a JDBC URL",
        "--resume --jobs 5                   | --resume sends nothing",
        "--input no/such.jsonl               | no/such.jsonl: no such file",
        "--input .                           | .: no such file",
        "--jbos 5                            | Unknown option",
        "extra                               | Unexpected argument 'extra'. Allowed are --input, --jobs, --resume,",
      })
  void invalidArgumentsAreRefusedInASentence(String arguments, String sentence) {
    Program program = Program.run(("demo " + arguments).split(" +"));
    assertThat(program.exitCode()).isEqualTo(2);
    assertThat(program.out()).isEmpty();
    assertThat(program.err()).contains(sentence, "skipjack demo --help").hasLineCount(2);
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
  void benchWithoutANameListsTheBenchmarks() {
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
