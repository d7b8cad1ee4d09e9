package dev.skipjack.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes the files of {@link Seed}: a Markdown table, and one plot for each amount of work. */
final class SeedPlot {

  private SeedPlot() {}

  static void write(Path folder, List<Seed.Point> points, List<Integer> threads)
      throws IOException {
    Files.writeString(folder.resolve("seed.md"), table(points));
    for (int work : points.stream().map(Seed.Point::workMillis).distinct().toList()) {
      Chart chart =
          new Chart(
              work == 0 ? "Jobs per second, no work" : "Jobs per second, " + work + " ms of work",
              threads.stream().map(count -> count + " threads").toList());
      for (String strategy : points.stream().map(Seed.Point::strategy).distinct().toList()) {
        chart.bars(
            strategy,
            points.stream()
                .filter(point -> point.workMillis() == work && point.strategy().equals(strategy))
                .map(Seed.Point::rate)
                .toList());
      }
      Files.writeString(folder.resolve("seed-%d-ms.svg".formatted(work)), chart.svg());
      chart.writePng(folder.resolve("seed-%d-ms.png".formatted(work)));
    }
  }

  private static String table(List<Seed.Point> points) {
    String head =
        """
        | strategy | threads | work, ms | jobs/s | double runs | sessions waiting | server CPU, µs per job |
        |---|---|---|---|---|---|---|
        """;
    return head
        + points.stream()
            .map(
                point ->
                    String.format(
                        Locale.ROOT,
                        "| %s | %d | %d | %,.0f | %,d | %.1f | %s |%n",
                        point.strategy(),
                        point.threads(),
                        point.workMillis(),
                        point.rate(),
                        point.doubleRuns(),
                        point.waiting(),
                        Report.text(point.row().get("server_cpu_us"))))
            .collect(Collectors.joining());
  }
}
