package dev.skipjack.rivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skipjack.benchmarks.BenchmarkDatabase;
import dev.skipjack.benchmarks.Benchmarks;
import dev.skipjack.benchmarks.Costs;
import dev.skipjack.benchmarks.Options;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.benchmarks.Report;
import dev.skipjack.benchmarks.Rounds;
import dev.skipjack.benchmarks.Sample;
import dev.skipjack.benchmarks.TinyRuns;
import dev.skipjack.rivals.Contender.Session;
import dev.skipjack.testkit.QueueDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that every library runs its jobs and is measured in every phase. Does not test speed. */
class RivalsIT {

  private static final List<String> NAMES =
      List.of("skipjack", "db-scheduler", "db-scheduler polling", "jobrunr", "quartz");

  private static QueueDatabase server;
  private static BenchmarkDatabase database;

  @BeforeAll
  static void open() throws Exception {
    server = QueueDatabase.create();
    database = TinyRuns.open(server.jdbcUrl());
  }

  @AfterAll
  static void close() {
    database.close();
    server.close();
  }

  @AfterEach
  void closePools() {
    TinyRuns.closePools(database);
  }

  static List<Named<Contender>> contenders() {
    return Rivals.contenders(database, List.of()).stream()
        .map(contender -> Named.of(contender.name(), contender))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("contenders")
  void everyLibraryRunsEachJobOnce(Contender contender) throws Exception {
    contender.create();
    DataSource pool = contender.pool();
    contender.empty();
    try (Session producer = contender.open(pool, null)) {
      producer.enqueueAll(12);
      producer.enqueue(13);
    }
    assertThat(contender.unfinished()).isEqualTo(13);

    ConcurrentMap<Long, Integer> runs = new ConcurrentHashMap<>();
    try (Session worker = contender.open(pool, (n, began) -> runs.merge(n, 1, Integer::sum))) {
      worker.enqueue(14);
      Awaitility.await().until(() -> runs.size() == 14 && contender.unfinished() == 0);
    }
    assertThat(runs)
        .isEqualTo(LongStream.rangeClosed(1, 14).boxed().collect(Collectors.toMap(n -> n, n -> 1)));

    try (Session producer = contender.open(pool, null)) {
      producer.enqueue(15);
    }
    contender.empty();
    assertThat(contender.unfinished()).isZero();
  }

  /** Needs Node.js, and installs the library with npm. */
  @Test
  @Tag("soak")
  void graphileWorkerRunsEachJobOnce() throws Exception {
    everyLibraryRunsEachJobOnce(new GraphileWorker(database));
  }

  @Test
  void emptiedTablesAreStillReadByIndex() throws Exception {
    DbScheduler contender = DbScheduler.polling(database);
    contender.create();
    DataSource pool = contender.pool();
    try (Session producer = contender.open(pool, null)) {
      producer.enqueueAll(1_000);
    }
    contender.empty();

    assertThat(contender.unfinished()).isZero();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet plan =
            statement.executeQuery(
                "EXPLAIN SELECT * FROM scheduled_tasks WHERE task_name = 'noop' AND task_instance = '1'")) {
      plan.next();
      assertThat(plan.getString(1)).startsWith("Index Scan");
    }
  }

  @Test
  void everyPhaseIsMeasuredForEveryLibrary() throws Exception {
    Options options =
        Options.none()
            .with(Setting.SECONDS, 2)
            .with(Setting.RUNS, 1)
            .with(Setting.JOBS, 30)
            .with(Setting.RATE, 100);
    List<String> notes = new ArrayList<>();

    Report report = TinyRuns.run("rivals", options, database, notes::add);

    JsonNode json = new ObjectMapper().readTree(report.json());
    assertThat(report.json()).doesNotContain("\n");
    assertThat(json.get("benchmark").asText()).isEqualTo("rivals");
    assertThat(json.get("median").asDouble()).isPositive();
    assertThat(json.get("ratio").asDouble()).isPositive();
    assertThat(json.get("floor").asText()).isEqualTo("db-scheduler");
    Map<String, JsonNode> rows =
        json.get("rows")
            .valueStream()
            .collect(Collectors.toMap(row -> row.get("measure").asText(), row -> row));
    boolean cpuIsKnown = !json.get("server_cpu_us_per_job").isNull();
    for (Measure measure : Measure.values()) {
      JsonNode row = Objects.requireNonNull(rows.get(measure.title()));
      boolean isMeasured = cpuIsKnown || !measure.title().contains("server CPU");
      for (String name : NAMES) {
        boolean takesPart =
            switch (measure) {
              case PICKUP_CALL -> !name.equals("skipjack"); // its jobs come from another process
              case PICKUP_ELSEWHERE -> name.equals("skipjack");
              default ->
                  !name.equals("db-scheduler polling")
                      || measure.phase() == Phase.PICKUP
                      || measure.phase() == Phase.STEADY;
            };
        assertThat(row.get(name).isNumber())
            .as("%s of %s", measure, name)
            .isEqualTo(isMeasured && takesPart);
      }
      // In a run this short a latency or CPU time may be zero, and then there is no ratio.
      if (measure.title().endsWith("jobs/s")) {
        assertThat(json.get(measure.key() + "_ratio_db-scheduler").isNumber())
            .as("%s", measure)
            .isTrue();
      }
    }
    JsonNode wokenBy = Objects.requireNonNull(rows.get("woken by"));
    assertThat(wokenBy.get("skipjack").asText()).contains("another process");
    assertThat(wokenBy.get("skipjack, one process").asText()).contains("same process");
    assertThat(wokenBy.get("db-scheduler").asText()).contains("same process");
    assertThat(wokenBy.get("skipjack, no archive").asText()).contains("another process");
    for (Measure measure : List.of(Measure.DRAIN, Measure.DRAIN_NO_ARCHIVE)) {
      JsonNode row = Objects.requireNonNull(rows.get(measure.title()));
      assertThat(row.get("skipjack, no archive").isNumber()).isTrue();
    }
    JsonNode fromCall = Objects.requireNonNull(rows.get(Measure.PICKUP_CALL.title()));
    assertThat(fromCall.get("skipjack, one process").isNumber()).isTrue();
    assertThat(json.get("setup_db-scheduler").asText()).startsWith("db-scheduler-16.");
    assertThat(json.get("setup_jobrunr").asText()).startsWith("jobrunr-8.");
    assertThat(json.get("setup_quartz").asText()).startsWith("quartz-2.5.");
    assertThat(notes).anyMatch(note -> note.startsWith("run 1 quartz"));

    StringWriter table = new StringWriter();
    report.print(new PrintWriter(table));
    assertThat(table.toString())
        .startsWith("rivals: ")
        .contains("drain: jobs/s", ">= 1.05 of graphile-worker");
    assertThat(table.toString().lines().filter(line -> line.startsWith("measure")))
        .singleElement()
        .asString()
        .contains(NAMES)
        .contains("to db-scheduler", "target");
  }

  @Test
  void ratiosCompareWithTheBetterModeOfDbSchedulerInEachRound() throws Exception {
    Report report =
        Rivals.report(
            Rivals.contenders(database, List.of("db-scheduler")),
            results(
                Map.of(
                    "skipjack", List.of(100.0, 300.0, 80.0),
                    "db-scheduler", List.of(200.0, 100.0, 100.0),
                    "db-scheduler polling", List.of(400.0, 50.0, 400.0))));

    // A rate is better if it is higher, a latency if it is lower.
    assertThat(report.field("drain_ratio_db-scheduler")).isEqualTo(0.25);
    assertThat(report.field("pickup_ratio_db-scheduler")).isEqualTo(0.8);
    assertThat(report.field("missed")).asString().contains("enqueue_8").doesNotContain("pickup");
  }

  @Test
  void withoutDbSchedulerThereAreNoRatios() throws Exception {
    List<Contender> contenders = Rivals.contenders(database, List.of("quartz", "quartz"));
    assertThat(contenders)
        .extracting(Contender::name)
        .containsExactly("skipjack", "skipjack, one process", "skipjack, no archive", "quartz");

    Report report =
        Rivals.report(
            contenders, results(Map.of("skipjack", List.of(2.0), "quartz", List.of(1.0))));

    JsonNode json = new ObjectMapper().readTree(report.json());
    assertThat(json.get("median").asDouble()).isEqualTo(2);
    assertThat(json.get("ratio").isNull()).isTrue();
    assertThat(json.get("rows").get(0).fieldNames())
        .toIterable()
        .containsExactly(
            "measure", "skipjack", "skipjack, one process", "skipjack, no archive", "quartz");
  }

  /**
   * Returns results with the same values in every phase, and with the same values as server CPU.
   */
  private static Map<Phase, Rounds.Results> results(Map<String, List<Double>> values) {
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    values.forEach(
        (name, rounds) ->
            samples.put(
                name,
                rounds.stream()
                    .map(value -> new Sample(value, new Costs(1, value, 1, 1), Map.of()))
                    .toList()));
    Map<Phase, Rounds.Results> results = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      results.put(phase, new Rounds.Results(samples));
    }
    return results;
  }

  @Test
  void unknownNamesAndSettingsAreRefusedWithAnExplanation() {
    Options unknown = Options.none().with(List.of("quartz", "sidekiq"));
    assertThatThrownBy(() -> Benchmarks.check("rivals", unknown))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Unknown name 'sidekiq' in --with. Available names: db-scheduler, jobrunr, quartz, graphile-worker.");
    assertThatThrownBy(() -> Benchmarks.check("rivals", Options.none().with(Setting.BATCH, 5)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--batch");
    assertThatThrownBy(() -> Benchmarks.check("drain", Options.none().with(List.of("quartz"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--with");
    assertThat(Benchmarks.names()).contains("drain", "rivals");
    assertThat(Benchmarks.purpose("rivals")).contains("db-scheduler");
  }
}
