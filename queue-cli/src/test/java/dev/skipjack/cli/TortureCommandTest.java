package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.torture.TortureReport;
import dev.skipjack.torture.Verdicts;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Tests what scripts can rely on: the exit code and the last line on standard output. */
class TortureCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int torture(TortureReport verdict, String... arguments) {
    return new CommandLine(new TortureCommand((options, notes) -> verdict))
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  @Test
  void aCleanRunExitsWithZero() {
    assertThat(torture(Verdicts.clean(), "--json")).isZero();

    assertThat(out.toString()).startsWith("{\"verdict\":\"clean\"").hasLineCount(1);
    assertThat(err.toString()).hasLineCount(1);
  }

  @Test
  void aViolationExitsWithOneAndPrintsTheHistoryOfTheJob() {
    assertThat(torture(Verdicts.lost())).isEqualTo(1);

    assertThat(out.toString()).contains("Job 7 (a):", "ACKNOWLEDGED\ta\t7", "Violations found.");
  }

  @Test
  void withJsonTheHistoryGoesToStandardError() {
    assertThat(torture(Verdicts.lost(), "--json")).isEqualTo(1);

    assertThat(out.toString()).startsWith("{\"verdict\":\"violated\",\"lost\":1,").hasLineCount(1);
    assertThat(err.toString()).contains("Job 7 (a):", "ACKNOWLEDGED\ta\t7");
  }
}
