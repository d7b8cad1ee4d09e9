package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

  private static final Costs COSTS = new Costs(1, null, 1, 1);

  @Test
  void ratioToAFloorOfZeroIsNull() {
    Rounds.Results results =
        new Rounds.Results(
            Map.of(
                "queue", List.of(new Sample(3, COSTS, Map.of())),
                "floor", List.of(new Sample(0, COSTS, Map.of()))));

    Report report = new Report("latency", "ms").finding(results, "queue", "floor");

    assertThat(report.field("ratio")).isNull();
    assertThat(report.json()).contains("\"ratio\":null").contains("\"floor_median\":0.0");
    assertThat(printed(report)).doesNotContain("ratio").contains("latency: 3.0 ms");
  }

  @Test
  void figureThatIsNotFiniteIsPrintedAsADash() {
    Report report = new Report("drain", "jobs/s").row(Map.of("rate", Double.NaN));

    assertThat(report.json()).contains("\"rows\":[{\"rate\":null}]");
    assertThat(printed(report).lines()).contains("rate", "-");
  }

  private static String printed(Report report) {
    StringWriter text = new StringWriter();
    report.print(new PrintWriter(text));
    return text.toString();
  }
}
