package dev.skipjack.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The result of a benchmark, as a line of JSON for programs and as a table for people. */
public final class Report {

  private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();
  private final List<Map<String, @Nullable Object>> rows = new ArrayList<>();
  private final String unit;

  public Report(String benchmark, String unit) {
    this.unit = unit;
    fields.put("benchmark", benchmark);
    fields.put("unit", unit);
    for (String field :
        List.of(
            "median",
            "least",
            "most",
            "ratio",
            "ratio_least",
            "ratio_most",
            "runs",
            "server_cpu_us_per_job",
            "client_cpu_us_per_job",
            "wal_bytes_per_job")) {
      fields.put(field, null);
    }
  }

  /** Sets the result: the runs of one variant. */
  public Report finding(List<Sample> samples) {
    List<Double> values = samples.stream().map(Sample::value).toList();
    put("median", Statistics.median(values));
    put("least", Statistics.min(values));
    put("most", Statistics.max(values));
    put("runs", samples.size());
    put("server_cpu_us_per_job", median(samples, Costs::serverMicros));
    put("client_cpu_us_per_job", median(samples, Costs::clientMicros));
    put("wal_bytes_per_job", median(samples, Costs::walBytes));
    return this;
  }

  /** Sets the result, and its ratio to a floor that was measured in the same rounds. */
  public Report finding(Rounds.Results results, String variant, String floor) {
    finding(results.of(variant));
    List<Double> ratios = results.ratios(variant, floor);
    put("ratio", Statistics.median(ratios));
    put("ratio_least", Statistics.min(ratios));
    put("ratio_most", Statistics.max(ratios));
    put("floor", floor);
    put("floor_median", Statistics.median(results.values(floor)));
    return this;
  }

  /** Adds a row to the table for each variant. */
  Report variants(Rounds.Results results) {
    results.samples().forEach((name, samples) -> row(name, samples));
    return this;
  }

  /** Adds a row to the table for the runs of one variant. */
  Report row(String name, List<Sample> samples) {
    List<Double> values = samples.stream().map(Sample::value).toList();
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("way", name);
    row.put("median", Statistics.median(values));
    row.put("least", Statistics.min(values));
    row.put("most", Statistics.max(values));
    row.put("server_cpu_us", median(samples, Costs::serverMicros));
    row.put("client_cpu_us", median(samples, Costs::clientMicros));
    row.put("wal_bytes", median(samples, Costs::walBytes));
    return row(row);
  }

  /** Adds a row to the table. */
  public Report row(Map<String, ? extends @Nullable Object> row) {
    Map<String, @Nullable Object> cells = new LinkedHashMap<>();
    row.forEach((key, value) -> cells.put(key, rounded(value)));
    rows.add(cells);
    return this;
  }

  /**
   * Sets a field: a figure or a part of the configuration. A figure that is not finite, such as the
   * ratio to a floor of 0, becomes null.
   */
  public Report put(String field, @Nullable Object value) {
    fields.put(field, rounded(value));
    return this;
  }

  /** Returns the median of a cost, or null if the cost is not known for any run. */
  static @Nullable Double median(List<Sample> samples, Function<Costs, @Nullable Double> cost) {
    List<Double> known = new ArrayList<>();
    for (Sample sample : samples) {
      Double value = cost.apply(sample.costs());
      if (value != null) {
        known.add(value);
      }
    }
    return known.isEmpty() ? null : Statistics.median(known);
  }

  private static @Nullable Object rounded(@Nullable Object value) {
    if (value instanceof Double number) {
      return Double.isFinite(number) ? (Object) Statistics.rounded(number) : null;
    }
    return value;
  }

  /** Returns a field by its name, or null if it was not measured. */
  public @Nullable Object field(String name) {
    return fields.get(name);
  }

  /** Returns the whole report as one line of JSON. */
  public String json() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>(fields);
    all.put("rows", rows);
    try {
      return new ObjectMapper().writeValueAsString(all);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("The report cannot be written as JSON.", impossible);
    }
  }

  /** Prints the report as text. */
  public void print(PrintWriter out) {
    out.printf(
        "%s: %s %s (least %s, most %s; runs: %s)%n",
        fields.get("benchmark"),
        text(fields.get("median")),
        unit,
        text(fields.get("least")),
        text(fields.get("most")),
        text(fields.get("runs")));
    if (fields.get("ratio") != null) {
      out.printf(
          "ratio: %s of %s (least %s, most %s)%n",
          text(fields.get("ratio")),
          fields.getOrDefault("floor", "the floor"),
          text(fields.get("ratio_least")),
          text(fields.get("ratio_most")));
    }
    printRows(out);
    fields.forEach(
        (name, value) -> {
          if (value != null && !HEADLINE.contains(name)) {
            out.printf("%-24s %s%n", name, text(value));
          }
        });
    out.flush();
  }

  private static final List<String> HEADLINE =
      List.of(
          "benchmark",
          "unit",
          "median",
          "least",
          "most",
          "runs",
          "ratio",
          "ratio_least",
          "ratio_most",
          "floor");

  private void printRows(PrintWriter out) {
    Map<String, Integer> widths = new LinkedHashMap<>();
    for (Map<String, @Nullable Object> row : rows) {
      row.forEach(
          (column, value) ->
              widths.merge(column, Math.max(column.length(), text(value).length()), Math::max));
    }
    if (widths.isEmpty()) {
      return;
    }
    out.println();
    StringBuilder head = new StringBuilder();
    widths.forEach((column, width) -> head.append(cell(column, width, column)));
    out.println(head.toString().stripTrailing());
    for (Map<String, @Nullable Object> row : rows) {
      StringBuilder line = new StringBuilder();
      widths.forEach(
          (column, width) -> line.append(cell(text(row.get(column)), width, row.get(column))));
      out.println(line.toString().stripTrailing());
    }
    out.println();
  }

  private static String cell(String text, int width, @Nullable Object value) {
    String padding = " ".repeat(width - text.length());
    return (value instanceof Number ? padding + text : text + padding) + "  ";
  }

  static String text(@Nullable Object value) {
    if (value == null) {
      return "-";
    }
    if (value instanceof Double number) {
      double size = Math.abs(number);
      return size >= 1_000
          ? String.format(Locale.ROOT, "%,.0f", number)
          : String.valueOf(number.doubleValue());
    }
    return value instanceof Number number
        ? String.format(Locale.ROOT, "%,d", number.longValue())
        : Objects.toString(value);
  }
}
