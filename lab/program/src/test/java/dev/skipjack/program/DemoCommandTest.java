package dev.skipjack.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.demo.DemoOptions;
import dev.skipjack.demo.DemoOutput;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Tests which options the demo receives from the command line, and its exit codes. */
class DemoCommandTest {

  private final StringWriter err = new StringWriter();
  private final List<DemoOptions> options = new ArrayList<>();
  private final List<DemoOutput> outputs = new ArrayList<>();

  private int demo(boolean verified, String... arguments) {
    DemoCommand command =
        new DemoCommand(
            (given, output) -> {
              options.add(given);
              outputs.add(output);
              return verified;
            });
    return new CommandLine(command).setErr(new PrintWriter(err)).execute(arguments);
  }

  @ParameterizedTest
  @CsvSource({"true, 0", "false, 1"})
  void theExitCodeIsTheResult(boolean verified, int exitCode) {
    assertThat(demo(verified)).isEqualTo(exitCode);
  }

  @Test
  void everyOptionReachesTheDemo() {
    String url = "jdbc:postgresql://h/d?user=u&password=p";
    demo(true, "--input", "in.jsonl", "--jobs", "7");
    demo(true, "--resume", "--json", "--url", url);

    assertThat(options.get(0)).isEqualTo(new DemoOptions(Path.of("in.jsonl"), 7L, false, null));
    assertThat(options.get(1))
        .hasToString(
            "DemoOptions[input=null, jobs=null, resume=true, database=the database that --url names]");
    assertThat(outputs).extracting(DemoOutput::json).containsExactly(false, true);
    assertThat(err.toString()).isEmpty();
  }
}
