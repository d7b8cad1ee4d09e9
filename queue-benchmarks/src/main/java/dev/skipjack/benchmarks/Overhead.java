package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Options.Setting;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** {@link StatementOverhead} or {@link UniqueOverhead} as a benchmark among others. */
final class Overhead implements Benchmark {

  /** One of the two. */
  @FunctionalInterface
  interface Measurement {
    /**
     * Answers, among other things, a map with {@code ratio}, {@code least}, {@code most} and {@code
     * micros} for each thing that was measured.
     */
    Map<String, Object> measure(BenchmarkDatabase database, int times, int runs) throws Exception;
  }

  private final String name;
  private final String purpose;
  private final String floor;
  private final int times;
  private final int runs;
  private final Measurement measurement;

  /**
   * @param times statements or turns of a run
   */
  private Overhead(
      String name, String purpose, String floor, int times, int runs, Measurement measurement) {
    this.name = name;
    this.purpose = purpose;
    this.floor = floor;
    this.times = times;
    this.runs = runs;
    this.measurement = measurement;
  }

  static Overhead ofStatements() {
    return new Overhead(
        "overhead",
        "each statement of the store against the same text and values from bare JDBC",
        "bare JDBC",
        100,
        7,
        (database, times, runs) -> new StatementOverhead(database, times).measure(1, runs));
  }

  static Overhead ofUniqueness() {
    return new Overhead(
        "dedup",
        "enqueue with fresh keys and with duplicates, against jobs without a key",
        "jobs without a key",
        60,
        9,
        (database, times, runs) -> new UniqueOverhead(database, times).measure(1, runs));
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
    Map<String, Object> measured =
        measurement.measure(database, options.count(Setting.JOBS, times), count);
    Report report = new Report(name, "ratio");
    List<Double> ratios = new ArrayList<>();
    measured.forEach(
        (what, value) -> {
          if (value instanceof Map<?, ?> figures && figures.get("ratio") instanceof Double ratio) {
            ratios.add(ratio);
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("what", what);
            figures.forEach((figure, number) -> row.put(String.valueOf(figure), number));
            report.row(row);
          }
        });
    return report
        .put("median", Statistics.median(ratios))
        .put("least", Statistics.least(ratios))
        .put("most", Statistics.most(ratios))
        .put("ratio", Statistics.median(ratios))
        .put("floor", floor)
        .put("runs", count);
  }
}
