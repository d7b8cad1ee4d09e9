package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Options.Setting;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Adapts {@link StatementOverhead} and {@link UniqueOverhead} to {@link Benchmark}. */
final class Overhead implements Benchmark {

  /** Runs one of the two measurements. */
  @FunctionalInterface
  interface Measurement {
    /**
     * Runs the measurement. The line of the result contains, for each case, a map with {@code
     * ratio}, {@code least}, {@code most} and {@code micros}.
     */
    Measured measure(
        BenchmarkDatabase database, int times, int warmUps, int runs, Consumer<String> notes)
        throws Exception;
  }

  /**
   * The result of one of the two measurements.
   *
   * @param costs the costs, measured in a separate run, because cases that take turns share the
   *     server
   */
  record Measured(Map<String, Object> line, Costs costs) {}

  private final String name;
  private final String purpose;
  private final String floor;
  private final int times;
  private final int runs;
  private final Optional<String> finding;
  private final Measurement measurement;

  /**
   * @param times the number of statements or turns in a run
   * @param finding the case that is the result; if empty, the case with the largest ratio
   */
  private Overhead(
      String name,
      String purpose,
      String floor,
      int times,
      int runs,
      Optional<String> finding,
      Measurement measurement) {
    this.name = name;
    this.purpose = purpose;
    this.floor = floor;
    this.times = times;
    this.runs = runs;
    this.finding = finding;
    this.measurement = measurement;
  }

  static Overhead ofStatements() {
    return new Overhead(
        "overhead",
        "each statement of the store, against the same statement and values from plain JDBC",
        "bare JDBC",
        100,
        7,
        Optional.empty(),
        (database, times, warmUps, runs, notes) -> {
          StatementOverhead overhead = new StatementOverhead(database, times, notes);
          return new Measured(overhead.measure(warmUps, runs), overhead.costs());
        });
  }

  static Overhead ofUniqueness() {
    return new Overhead(
        "dedup",
        "enqueue with fresh keys and with duplicates, against jobs without a key",
        "jobs without a key",
        60,
        9,
        Optional.of("fresh-key-1"),
        (database, times, warmUps, runs, notes) -> {
          UniqueOverhead overhead = new UniqueOverhead(database, times, notes);
          return new Measured(overhead.measure(warmUps, runs), overhead.costs());
        });
  }

  @Override
  public String purpose() {
    return purpose;
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.RUNS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    int count = options.count(Setting.RUNS, runs);
    Measured measured =
        measurement.measure(
            database, options.count(Setting.JOBS, times), options.warmUps(), count, notes);
    Report report = new Report(name, "ratio");
    Map<String, Map<?, ?>> found = new LinkedHashMap<>();
    measured
        .line()
        .forEach(
            (what, value) -> {
              if (value instanceof Map<?, ?> figures && figures.get("ratio") instanceof Double) {
                found.put(what, figures);
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("what", what);
                figures.forEach((figure, number) -> row.put(String.valueOf(figure), number));
                report.row(row).put(field(what) + "_ratio", figures.get("ratio"));
              }
            });
    String result = finding.orElseGet(() -> worst(found));
    Map<?, ?> figures = Objects.requireNonNull(found.get(result), result);
    return report
        .put("median", figures.get("ratio"))
        .put("least", figures.get("least"))
        .put("most", figures.get("most"))
        .put("ratio", figures.get("ratio"))
        .put("ratio_least", figures.get("least"))
        .put("ratio_most", figures.get("most"))
        .put("ratio_of", field(result))
        .put("floor", floor)
        .put("runs", count)
        .put("server_cpu_us_per_job", measured.costs().serverMicros())
        .put("client_cpu_us_per_job", measured.costs().clientMicros())
        .put("wal_bytes_per_job", measured.costs().walBytes());
  }

  private static String field(String what) {
    return what.replace('-', '_');
  }

  private static String worst(Map<String, Map<?, ?>> found) {
    return Collections.max(
        found.keySet(),
        Comparator.comparingDouble(
            what ->
                Objects.requireNonNull(found.get(what)).get("ratio") instanceof Double ratio
                    ? ratio
                    : 0));
  }
}
