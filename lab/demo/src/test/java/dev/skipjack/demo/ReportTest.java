package dev.skipjack.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ReportTest {

  private static final Summary.Numbers NUMBERS =
      new Summary.Numbers(20_000, 1_004, 1_009, 3, 19_899, 602, 101, 20_000, 1.25, 33.5);
  private static final Check HOLDS = new Check("all is well", 0, null);
  private static final Check FAILS = new Check("nothing is lost", 2, "delivery 1");

  @Test
  void theTextReportShowsTheTableAndEachCheck() {
    assertThat(text(new Summary(NUMBERS, Duration.ofSeconds(10), List.of(HOLDS))))
        .containsPattern("enqueued +20,000")
        .containsPattern("already queued +2,016 .*unique key: 1,004.*table's key: 1,009.*before: 3")
        .containsPattern("jobs/s +2,000 +20,000 ended in 10.0 s")
        .containsPattern("pickup p99 +33.5 ms")
        .containsPattern("ok +all is well")
        .endsWith("Verified.\n");
  }

  @Test
  void aFailedCheckIsSeen() {
    assertThat(text(new Summary(NUMBERS, Duration.ofSeconds(10), List.of(HOLDS, FAILS))))
        .containsPattern("FAILED +nothing is lost \\(2 times not; first: delivery 1\\)")
        .endsWith("Verification FAILED.\n");
  }

  @Test
  void theJsonReportIsOneLine() throws Exception {
    Summary summary = new Summary(NUMBERS, Duration.ofMillis(12_345), List.of(HOLDS, FAILS));
    String line = JsonReport.of(summary, Optional.of("in.jsonl:3: wrong"));
    assertThat(line).doesNotContain("\n");
    JsonNode json = new JsonMapper().readTree(line);
    assertThat(json.get("enqueued").longValue()).isEqualTo(20_000);
    assertThat(json.get("duplicates").longValue()).isEqualTo(2_016);
    assertThat(json.get("duplicates_by").get("table").longValue()).isEqualTo(1_009);
    assertThat(json.get("completed").longValue()).isEqualTo(19_899);
    assertThat(json.get("retried").longValue()).isEqualTo(602);
    assertThat(json.get("dead").longValue()).isEqualTo(101);
    assertThat(json.get("jobs_per_second").doubleValue()).isEqualTo(1620.1);
    assertThat(json.get("verified").booleanValue()).isFalse();
    assertThat(json.get("checks")).hasSize(2);
    assertThat(json.get("error").textValue()).isEqualTo("in.jsonl:3: wrong");
  }

  @Test
  void theLiveLineShowsTheProgress() {
    Progress progress = new Progress(OptionalLong.of(2_000));
    assertThat(LiveLine.render(progress, Duration.ofSeconds(1)))
        .isEqualTo("[........................] 0/2,000  0 jobs/s  retries 0  dead 0");
    assertThat(LiveLine.render(new Progress(OptionalLong.empty()), Duration.ZERO))
        .contains(" 0/0 ");
  }

  private static String text(Summary summary) {
    StringWriter text = new StringWriter();
    TextReport.print(summary, new PrintWriter(text));
    return text.toString();
  }
}
