package dev.skipjack.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.torture.Load;
import dev.skipjack.torture.TortureOptions;
import dev.skipjack.torture.TortureReport;
import dev.skipjack.torture.Verdicts;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Tests what scripts can rely on: the exit code and the last line on standard output. */
class TortureCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final List<TortureOptions> runs = new ArrayList<>();

  private int torture(TortureReport verdict, String... arguments) {
    TortureCommand.Run run =
        (options, notes) -> {
          runs.add(options);
          return verdict;
        };
    return new CommandLine(new TortureCommand(run))
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
  void theWorkloadIsAllUnlessAnotherIsNamed() {
    assertThat(torture(Verdicts.clean())).isZero();
    assertThat(torture(Verdicts.clean(), "--workload", "outbox")).isZero();

    assertThat(runs).extracting(TortureOptions::load).containsExactly(Load.ALL, Load.OUTBOX);
  }

  @Test
  void anUnknownWorkloadIsRejected() {
    assertThat(torture(Verdicts.clean(), "--workload", "mail")).isEqualTo(2);

    assertThat(runs).isEmpty();
    assertThat(err.toString())
        .contains(
            "Unknown workload 'mail' in --workload. Available workloads: all, jobs, outbox,"
                + " schedules, limited, steps.");
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
