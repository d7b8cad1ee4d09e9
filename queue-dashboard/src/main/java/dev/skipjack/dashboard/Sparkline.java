package dev.skipjack.dashboard;

import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.api.operations.QueueActivity;
import dev.skipjack.dashboard.SharedQueries.Started;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a queue that ended in the last hour, in intervals of 5 minutes.
 *
 * @param completed how many completed their job in each interval, oldest first
 * @param failed how many failed in each interval
 */
record Sparkline(List<Long> completed, List<Long> failed) {

  private static final Duration STEP = Duration.ofMinutes(5);
  private static final int STEPS = 12;
  private static final int HEIGHT = 20;

  /** Starts the query. Returns the sparklines of the visible queues with ended attempts. */
  static Started<Map<String, Sparkline>> start(Visit visit) {
    return visit
        .reads()
        .activity(MinutesQuery.last(STEP.multipliedBy(STEPS)).every(STEP))
        .map(rows -> of(rows, visit.now()));
  }

  /** Arranges the numbers. The last interval is the one that is not over. */
  static Map<String, Sparkline> of(List<QueueActivity> rows, Instant now) {
    Map<String, long[][]> sums = new HashMap<>();
    long last = now.getEpochSecond() / STEP.toSeconds();
    for (QueueActivity row : rows) {
      long i = STEPS - 1 - (last - row.from().getEpochSecond() / STEP.toSeconds());
      if (i >= 0 && i < STEPS) {
        long[][] queue = sums.computeIfAbsent(row.queue(), none -> new long[2][STEPS]);
        queue[0][(int) i] = row.completed();
        queue[1][(int) i] = row.failed();
      }
    }
    Map<String, Sparkline> lines = new HashMap<>();
    sums.forEach((queue, of) -> lines.put(queue, new Sparkline(listOf(of[0]), listOf(of[1]))));
    return lines;
  }

  private static List<Long> listOf(long[] numbers) {
    return Arrays.stream(numbers).boxed().toList();
  }

  /** Draws a sparkline, or a dash if no attempt has ended. */
  static Node node(@Nullable Sparkline line) {
    return line == null ? Html.span("faint").add("–") : line.bars();
  }

  private Node bars() {
    StringBuilder good = new StringBuilder();
    StringBuilder bad = new StringBuilder();
    double highest = 1;
    long all = 0;
    long wrong = 0;
    for (int i = 0; i < STEPS; i++) {
      double ended = (double) completed.get(i) + failed.get(i);
      highest = Math.max(highest, ended);
      all += completed.get(i) + failed.get(i);
      wrong += failed.get(i);
    }
    for (int i = 0; i < STEPS; i++) {
      double lower = completed.get(i) / highest * HEIGHT;
      double upper = failed.get(i) / highest * HEIGHT;
      bar(good, i, 0, lower);
      bar(bad, i, lower, upper);
    }
    return Html.tag("svg")
        .set("viewBox", "0 0 %d %d".formatted(STEPS, HEIGHT))
        .set("preserveAspectRatio", "none")
        .style("spark")
        .set("role", "img")
        .set(
            "aria-label",
            "%s attempts ended in the last hour, %s of them failed"
                .formatted(Amount.text(all), Amount.text(wrong)))
        .add(
            Html.tag("path").style("grid").set("d", "M0 %1$dH%2$d".formatted(HEIGHT, STEPS)),
            Html.tag("path").style("c-done").set("d", good.toString()),
            Html.tag("path").style("c-failed").set("d", bad.toString()));
  }

  private static void bar(StringBuilder path, int column, double below, double height) {
    if (height > 0) {
      path.append(
          String.format(
              Locale.ROOT,
              "M%d.1 %.1fh.8V%.1fh-.8z",
              column,
              HEIGHT - below,
              HEIGHT - below - Math.max(height, 1)));
    }
  }
}
