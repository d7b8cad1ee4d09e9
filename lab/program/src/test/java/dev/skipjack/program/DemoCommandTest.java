package dev.skipjack.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.demo.DemoOptions;
import dev.skipjack.demo.DemoOutput;
import dev.skipjack.demo.DemoResult;
import java.io.PrintWriter;
import java.io.StringWriter;
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

  private int demo(DemoResult result, String... arguments) {
    DemoCommand command =
        new DemoCommand(
            (given, output) -> {
              options.add(given);
              outputs.add(output);
              return result;
            });
    return new CommandLine(command).setErr(new PrintWriter(err)).execute(arguments);
  }

  @ParameterizedTest
  @CsvSource({"VERIFIED, 0", "NOT_VERIFIED, 1"})
  void theExitCodeIsTheResult(DemoResult result, int exitCode) {
    assertThat(demo(result)).isEqualTo(exitCode);
  }

  @Test
  void everyOptionReachesTheDemo() {
    String url = "jdbc:postgresql://h/d?user=u&password=p";
    demo(DemoResult.VERIFIED, "--input", "in.jsonl", "--jobs", "7", "--workers", "3");
    demo(DemoResult.VERIFIED, "--resume", "--json", "--url", url);

    assertThat(options.get(0))
        .hasToString("DemoOptions[input=in.jsonl, jobs=7, workers=3, database=-, resume=false]");
    assertThat(options.get(1))
        .hasToString(
            "DemoOptions[input=-, jobs=-, workers=2, database=the database that --url names, resume=true]");
    assertThat(outputs).extracting(DemoOutput::json).containsExactly(false, true);
    assertThat(err.toString()).isEmpty();
  }
}
