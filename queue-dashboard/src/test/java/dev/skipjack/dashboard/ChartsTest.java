package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.DurationHistogram;
import dev.skipjack.api.operations.JobMinutes;
import dev.skipjack.api.operations.QueueDepth;
import dev.skipjack.api.spi.JobMinute;
import dev.skipjack.dashboard.Charts.Span;
import dev.skipjack.dashboard.Charts.Step;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@QueueTest
class ChartsTest {

  private static final Instant NOW = Instant.parse("2026-11-27T12:00:20Z");

  /** Returns an hour in which the load grows. */
  static Charts anHour(Instant now) {
    Instant first = now.minusSeconds(3_600);
    return Charts.of(
        Span.HOUR,
        IntStream.range(0, 60)
            .mapToObj(i -> minute(first.plusSeconds(60L * i), 100L + 10L * i, i % 7, i % 3))
            .toList(),
        IntStream.range(0, 60)
            .mapToObj(i -> new QueueDepth(first.plusSeconds(60L * i), 50L * i, 3, 0, 4))
            .toList(),
        now);
  }

  private static JobMinutes minute(Instant from, long completed, long failed, long dead) {
    return new JobMinutes(
        from,
        completed,
        failed,
        dead,
        0,
        0,
        0,
        DurationHistogram.of(0, 0, 50, 40, 10),
        DurationHistogram.of(0, 0, 0, 0, 0, 90, 0, 10));
  }

  @Test
  void theLastIntervalIsTheLastThatAllWorkersHaveReported() {
    Charts charts = Charts.of(Span.HOUR, List.of(), List.of(), NOW);

    assertThat(charts.steps()).hasSize(60);
    assertThat(charts.steps().get(0).from()).isEqualTo("2026-11-27T11:00:00Z");
    assertThat(charts.steps().get(59).from()).isEqualTo("2026-11-27T11:59:00Z");
    assertThat(
            Charts.of(Span.HOUR, List.of(), List.of(), NOW.minusSeconds(10)).steps().get(59).from())
        .isEqualTo("2026-11-27T11:58:00Z");
    assertThat(Charts.of(Span.DAY, List.of(), List.of(), NOW).steps())
        .hasSize(96)
        .last()
        .extracting(Step::from)
        .isEqualTo(Instant.parse("2026-11-27T11:45:00Z"));
  }

  @Test
  void percentilesComeFromTheHistograms() {
    Step step = anHour(NOW.minusSeconds(20)).steps().get(10);

    assertThat(step.completed()).isEqualTo(190);
    assertThat(step.waitMedian()).isEqualTo(Duration.ofMillis(4));
    assertThat(step.wait95()).isEqualTo(Duration.ofMillis(12));
    assertThat(step.run95()).isEqualTo(Duration.ofMillis(96));
  }

  /**
   * Queues without jobs have no rows, so a depth that is missing after an empty one is zero too.
   */
  @Test
  void aDepthThatIsMissingIsUnknownUnlessTheQueuesWereEmpty() {
    List<QueueDepth> depths =
        List.of(
            new QueueDepth(Instant.parse("2026-11-27T11:10:00Z"), 5, 0, 0, 0),
            new QueueDepth(Instant.parse("2026-11-27T11:20:00Z"), 0, 0, 0, 0));

    List<Step> steps = Charts.of(Span.HOUR, List.of(), depths, NOW).steps();

    assertThat(steps.get(9).pending()).isNull();
    assertThat(steps.get(10).pending()).isEqualTo(5);
    assertThat(steps.get(11).pending()).isNull();
    assertThat(steps.get(20).pending()).isZero();
    assertThat(steps.get(59).pending()).isZero();
  }

  @Test
  void axesEndAtRoundNumbers() {
    assertThat(List.of(0.0, 1.0, 1.5, 7.0, 10.0, 11.0, 432.0).stream().map(Plot::roundUp))
        .containsExactly(1.0, 1.0, 2.0, 10.0, 10.0, 20.0, 500.0);
  }

  /** Writes numbers of the interval before the last. */
  private static void report(Fixture fixture, QueueDatabase database) throws SQLException {
    fixture
        .queue
        .workers()
        .addMinute(
            WorkerId.boot("w"), List.of(numbers("emails", 1_234), numbers("billing", 5_678)));
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "UPDATE %s.job_minutes SET minute = date_trunc('minute', now() - interval '10 minutes')"
              .formatted(database.schema()));
    }
  }

  private static JobMinute numbers(String queue, int completed) {
    return new JobMinute(
        queue,
        "k",
        completed,
        0,
        0,
        0,
        0,
        0,
        DurationHistogram.EMPTY,
        DurationHistogram.of(0, 0, 0, 1));
  }

  @Test
  void usersSeeTheNumbersOfTheirQueuesOnly(QueueDatabase database) throws Exception {
    try (Fixture fixture = new Fixture(database)) {
      report(fixture, database);

      String all = fixture.browser(Fixture.VIEWER).page("/api/v1/minutes");
      assertThat(all).contains("\"completed\":6912");
      Browser restricted = fixture.browser("vera viewer emails");
      assertThat(restricted.page("/api/v1/minutes")).contains("\"completed\":1234");
      assertThat(restricted.page("/api/v1/now")).contains("\"completed\":1234");
      assertThat(restricted.page("/api/v1/minutes?name=emails&last=6h"))
          .contains("\"completed\":1234");
      assertThat(restricted.get("/minutes?name=billing").status()).isEqualTo(404);
      assertThat(fixture.browser("vera viewer none").page("/minutes")).contains("No numbers yet.");
    }
  }

  @Test
  void eachChartHasATitleADescriptionAndATable(QueueDatabase database) throws Exception {
    try (Fixture fixture = new Fixture(database)) {
      report(fixture, database);

      String page = fixture.browser(Fixture.VIEWER).page("/minutes?last=6h");

      assertThat(page)
          .contains("aria-labelledby=\"chart-run-title chart-run-desc\"")
          .contains("<title id=\"chart-throughput-title\">Throughput</title>")
          .contains("6,912 attempts ended, of which 0 failed.")
          .contains("<th scope=\"col\" class=\"num\">Completed</th>")
          .contains(">6,912<")
          .contains("Last 6 hours");
      Markup.check(page);
    }
  }
}
