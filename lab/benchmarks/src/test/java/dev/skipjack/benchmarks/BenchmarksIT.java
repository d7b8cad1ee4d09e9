package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.testkit.QueueDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;

/** Runs each benchmark with very small options. Checks the work and the report, not the speed. */
class BenchmarksIT {

  private static final Options TINY = Options.none().with(Setting.SECONDS, 1).shortened(4);

  private static final List<String> COSTS =
      List.of("server_cpu_us_per_job", "client_cpu_us_per_job", "wal_bytes_per_job");

  /**
   * Ratios whose floor may be 0 in a short run. On a busy machine, a handler may start before the
   * producer has read the time of its commit. A few jobs may use less CPU than the system can show.
   */
  private static final List<String> MAY_BE_NULL =
      List.of("pickup_ratio", "pickup_transaction_ratio", "one_key_client_cpu_ratio");

  private static QueueDatabase server;
  private static BenchmarkDatabase database;

  @BeforeAll
  static void open() throws Exception {
    server = QueueDatabase.create();
    database = BenchmarkDatabase.open(Optional.of(server.jdbcUrl()), 2);
  }

  @AfterAll
  static void close() {
    database.close();
    server.close();
  }

  static List<String> names() {
    return Benchmarks.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyBenchmarkReportsItsDocumentedFields(String name, @TempDir Path folder)
      throws Exception {
    Report report = Benchmarks.run(name, tiny(name, folder), database, note -> {});

    JsonNode json = new ObjectMapper().readTree(report.json());
    assertThat(report.json()).doesNotContain("\n");
    assertThat(json.get("benchmark").asText()).isEqualTo(name);
    assertThat(json.get("unit").asText()).isNotEmpty();
    assertThat(json.get("median").asDouble()).isGreaterThanOrEqualTo(0);
    assertThat(json.get("runs").asInt()).isPositive();
    assertThat(json.get("server").get("fsync")).isNotNull();
    assertThat(json.get("client").get("java")).isNotNull();
    assertThat(json.get("options").isObject()).isTrue();
    for (String cost : COSTS) {
      assertThat(json.get(cost).isNumber()).describedAs(cost).isEqualTo(isKnown(cost, name));
    }
    if (hasRatio(name)) {
      assertThat(json.get("ratio").asDouble()).isPositive();
      assertThat(json.get("median").asDouble()).isPositive();
    }
    for (String field : documentedFields(name)) {
      assertThat(json.get(field)).describedAs(field).isNotNull();
      if (!MAY_BE_NULL.contains(field)) {
        assertThat(json.get(field).isNull()).describedAs(field).isFalse();
      }
    }
    StringWriter table = new StringWriter();
    report.print(new PrintWriter(table));
    assertThat(table.toString()).startsWith(name + ": ").contains("server_version");
  }

  @Test
  void onlyUpdateWithoutLockMayRunAJobTwice() {
    Seed.Point twice = new Seed.Point("FOR UPDATE", 2, 0, 1_234, 1, 0, new Costs(1, null, 1, 1));
    Seed.Point once = new Seed.Point("FOR UPDATE", 2, 0, 1_234, 0, 0, new Costs(1, null, 1, 1));

    assertThat(Seed.check(once, false)).isSameAs(once);
    assertThat(Seed.check(twice, true)).isSameAs(twice);
    assertThatThrownBy(() -> Seed.check(twice, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("FOR UPDATE, 2 threads, 0 ms of work: 1,234 jobs/s, 1 double runs");
    assertThat(SeedStrategy.values())
        .filteredOn(SeedStrategy::mayRunTwice)
        .containsExactly(SeedStrategy.UPDATE_WITHOUT_LOCK);
  }

  @Test
  void seedWritesATableAndPlots(@TempDir Path folder) throws Exception {
    List<Seed.Point> points =
        List.of(
            new Seed.Point("one <&", 1, 0, 1_234, 0, 0, new Costs(1, null, 1, 1)),
            new Seed.Point("two", 1, 0, 12, 3, 0.5, new Costs(1, 99.0, 1, 1)));
    SeedPlot.write(folder, points, List.of(1));

    assertThat(folder.resolve("seed.md"))
        .content()
        .contains("| one <& | 1 | 0 | 1,234 | 0 | 0.0 | - |")
        .contains("| two | 1 | 0 | 12 | 3 | 0.5 | 99.0 |");
    Document svg =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(folder.resolve("seed-0-ms.svg").toFile());
    assertThat(svg.getElementsByTagName("text").item(0).getTextContent()).contains("no work");
    assertThat(ImageIO.read(folder.resolve("seed-0-ms.png").toFile()).getWidth()).isEqualTo(900);
  }

  @Test
  void unknownNameAndInapplicableOptionAreRefused() {
    assertThatThrownBy(() -> Benchmarks.check("idle", Options.none().with(Setting.RATE, 5)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--rate does not apply to idle");
    assertThatThrownBy(() -> Benchmarks.check("drian", Options.none()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'drian'")
        .hasMessageContaining("drain");
  }

  private static Options tiny(String name, Path folder) {
    return switch (name) {
      case "drain" -> TINY.with(Setting.JOBS, 300).with(Setting.RUNS, 1);
      case "single" -> TINY.with(Setting.JOBS, 20).with(Setting.RUNS, 1);
      case "enqueue" -> TINY.with(Setting.RUNS, 1).with(Setting.WORKERS, 2);
      case "bulk" -> TINY.with(Setting.RUNS, 1).with(Setting.BATCH, 50);
      case "latency" -> TINY.with(Setting.JOBS, 5).with(Setting.RATE, 100).with(Setting.RUNS, 1);
      case "steady" -> TINY.with(Setting.RATE, 100).with(Setting.RUNS, 1);
      // Each phase ends with a completed job, however busy the machine is.
      case "pinned" -> TINY.shortened(1).with(Setting.RATE, 300);
      case "depth" -> TINY.with(Setting.JOBS, 100).with(Setting.RUNS, 1);
      case "history" -> TINY.with(Setting.JOBS, 500).with(Setting.RUNS, 1);
      // Each strategy ends when its jobs are done. The seconds are a limit for a busy machine.
      case "seed" ->
          TINY.with(Setting.SECONDS, 10)
              .with(Setting.JOBS, 10)
              .with(Setting.WORKERS, 2)
              .out(folder.resolve("plots"));
      case "footprint" -> TINY.with(Setting.JOBS, 1_000).with(Setting.RUNS, 1);
      case "processes" ->
          TINY.with(Setting.JOBS, 200).with(Setting.WORKERS, 2).with(Setting.RUNS, 1);
      case "idle" -> TINY;
      case "schedules" -> TINY.with(Setting.JOBS, 50).with(Setting.RUNS, 1);
      case "ordering" -> TINY.with(Setting.JOBS, 60).with(Setting.RATE, 40).with(Setting.RUNS, 1);
      case "outbox" -> TINY.with(Setting.JOBS, 100).with(Setting.RATE, 40).with(Setting.RUNS, 1);
      case "limits" -> TINY.with(Setting.JOBS, 200).with(Setting.WORKERS, 2).with(Setting.RUNS, 1);
      case "dashboard" ->
          TINY.with(Setting.JOBS, 200).with(Setting.WORKERS, 3).with(Setting.RUNS, 1);
      case "steps" -> TINY.with(Setting.JOBS, 50).with(Setting.RUNS, 1);
      default -> throw new IllegalArgumentException("Add small options for the benchmark " + name);
    };
  }

  /**
   * Returns whether the report contains a cost. Server CPU is known only if the server runs on this
   * machine, and an idle queue has no costs per job.
   */
  private static boolean isKnown(String cost, String name) {
    return !name.equals("idle") && (!cost.startsWith("server") || database.cpu().micros() != null);
  }

  /**
   * Returns whether the benchmark must report a ratio. That of {@code latency} has the same limits
   * as {@code pickup_ratio}.
   */
  private static boolean hasRatio(String name) {
    return !List.of("footprint", "idle", "latency", "schedules").contains(name);
  }

  private static List<String> documentedFields(String name) {
    return switch (name) {
      case "drain" ->
          List.of(
              "archive",
              "floor_median",
              "floor_batch",
              "jobs_per_claim",
              "cold_client_cpu_us_per_job");
      case "single" -> List.of("store_ratio", "floor_median");
      case "latency" ->
          List.of("p50_ms", "p95_ms", "p99_ms", "bare_p50_ms", "poll_only_p99_ms", "floor_median");
      case "idle" -> List.of("transactions_per_s", "reached");
      case "schedules" ->
          List.of(
              "p50_ms",
              "p99_ms",
              "max_ms",
              "reached",
              "idle_statements_per_s",
              "idle_client_cpu_us_per_s",
              "idle_without_statements_per_s",
              "idle_without_client_cpu_us_per_s");
      case "steady" ->
          List.of(
              "p50_ms",
              "p95_ms",
              "p99_ms",
              "pickup_p99_ms",
              "offered_rate",
              "reached_rate",
              "rate_reached",
              "first_second_p99_ms");
      case "pinned" ->
          List.of(
              "start_rate",
              "end_rate",
              "start_p99_ms",
              "end_p99_ms",
              "start_all_claims_p99_ms",
              "end_all_claims_p99_ms",
              "marked_claims",
              "unmarked_claims",
              "end_listing_p99_ms",
              "end_rescue_p50_ms",
              "slowest_unmarked_claim_ms",
              "dead_tuples",
              "backlog");
      case "depth" ->
          List.of(
              "pending_ratio",
              "future_ratio",
              "foreign_kind_ratio",
              "skewed_ratio",
              "ten_queues_ratio",
              "ratio_of",
              "all_queues_served_p50_ms",
              "all_queues_served_ratio",
              "reached");
      case "ordering" ->
          List.of(
              "ratio_of",
              "twenty_keys_ratio",
              "one_key_client_cpu_ratio",
              "one_key_jobs_per_claim",
              "many_keys_ratio",
              "beside_hot_key_ratio",
              "advisory_one_key_ratio",
              "advisory_one_key_violations",
              "pickup_ratio",
              "pickup_ordered_p50_ms",
              "pickup_unordered_p99_ms",
              "pickup_transaction_ratio",
              "pickup_transaction_ordered_p99_ms");
      case "outbox" ->
          List.of(
              "held_ratio",
              "record_ratio",
              "record_silently_ratio",
              "publish_p50_ms",
              "publish_p99_ms",
              "pickup_p50_ms",
              "pickup_p99_ms");
      case "limits" ->
          List.of(
              "floor_median",
              "fair_ratio",
              "per_group_ratio",
              "large_ratio",
              "large_fair_ratio",
              "large_per_group_ratio",
              "worker_used",
              "lock_and_count_used",
              "permit_rows_used");
      case "dashboard" ->
          List.of(
              "p50_ms",
              "p99_ms",
              "busy_p50_ms",
              "busy_p99_ms",
              "statements_per_s",
              "lost_percent",
              "degraded_responses",
              "reached");
      case "steps" ->
          List.of(
              "floor_median",
              "batch_enqueue_ratio",
              "batch_drain_ratio",
              "signal_p50_ms",
              "signal_p99_ms",
              "pickup_p50_ms",
              "callback_p50_ms",
              "callback_max_ms");
      case "processes" ->
          List.of("floor_median", "least_share", "most_share", "jobs_per_claim", "empty_claims");
      case "footprint" ->
          List.of(
              "heap_grown_mb",
              "allocated_bytes_per_job",
              "threads",
              "most_connections",
              "idle_statements_per_s",
              "many_handlers_ratio",
              "several_workers_ratio");
      default -> List.of();
    };
  }
}
